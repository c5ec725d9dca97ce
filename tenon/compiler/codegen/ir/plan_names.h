// The names of plans, and of the target traits that they depend on, in code generation's
// namespace.
#ifndef TENON_COMPILER_CODEGEN_IR_PLAN_NAMES_H_
#define TENON_COMPILER_CODEGEN_IR_PLAN_NAMES_H_

#include "tenon/compiler/plan/contract_plan.h"
#include "tenon/compiler/plan/convolution_plan.h"
#include "tenon/compiler/plan/fft_plan.h"
#include "tenon/compiler/plan/linalg_plan.h"
#include "tenon/compiler/plan/sort_plan.h"
#include "tenon/compiler/plan/structured_plan.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::codegen {

using compiler::BatchCount;
using compiler::Contraction;
using compiler::ContractOpSpec;
using compiler::ContractSpec;
using compiler::ContractStrides;
using compiler::ConvOpSpec;
using compiler::ConvSpatialDim;
using compiler::ConvSpec;
using compiler::FftArray;
using compiler::FftPart;
using compiler::FftPhase;
using compiler::FftPlan;
using compiler::FftSpec;
using compiler::FftStep;
using compiler::FourStepFft;
using compiler::HasZeroProducts;
using compiler::IndexTerm;
using compiler::InputCopy;
using compiler::KCount;
using compiler::KDim;
using compiler::KernelPlan;
using compiler::kMaxAcrossBatch;
using compiler::kMaxButterfly;
using compiler::kMergeGrain;
using compiler::kMinWideDigitRow;
using compiler::kNetworkBlock;
using compiler::kNetworkBlockBits;
using compiler::kPassNumbers;
using compiler::kSortBlock;
using compiler::kSortBuckets;
using compiler::kSortRun;
using compiler::kSortRunBits;
using compiler::kWideDigit;
using compiler::LinalgAlgorithm;
using compiler::LinalgPlan;
using compiler::LinalgSpec;
using compiler::MatrixShape;
using compiler::MatrixUnit;
using compiler::NetworkBufferRecords;
using compiler::NetworkLanes;
using compiler::NumParts;
using compiler::OperandStorage;
using compiler::OutDim;
using compiler::OuterCount;
using compiler::PartBytes;
using compiler::PlanContract;
using compiler::PlanConv;
using compiler::Polyphase;
using compiler::RealSide;
using compiler::RecordLayout;
using compiler::ResidueCount;
using compiler::ShapeOfSort;
using compiler::SortKey;
using compiler::SortKeyBits;
using compiler::SortOrder;
using compiler::SortPlan;
using compiler::SortShape;
using compiler::SpecOf;
using compiler::Stage;
using compiler::StageKind;
using compiler::StepsToCover;
using compiler::StructuredPlan;
using compiler::TargetTraits;
using compiler::TilePlan;
using compiler::UnitsOfPart;
using compiler::Window;

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_IR_PLAN_NAMES_H_
