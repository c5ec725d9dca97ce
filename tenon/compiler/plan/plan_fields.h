// The fields of plans by name, which their attributes hold. A missing field would be lost
// between planning and code generation, so plan_attribute.cc counts them.
#ifndef TENON_COMPILER_PLAN_PLAN_FIELDS_H_
#define TENON_COMPILER_PLAN_PLAN_FIELDS_H_

#include <tuple>

#include "tenon/compiler/plan/fft_plan.h"
#include "tenon/compiler/plan/linalg_plan.h"
#include "tenon/compiler/plan/sort_plan.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::compiler {

template <typename Struct, typename Member>
struct Field {
  const char* name;
  Member Struct::* member;
};
template <typename Struct, typename Member>
constexpr Field<Struct, Member> F(const char* name, Member Struct::* member) {
  return {name, member};
}

// Specialized for every struct of a plan.
template <typename Struct>
struct Fields;

#define TENON_FIELD(name) F(#name, &T::name)

template <>
struct Fields<IndexTerm> {
  using T = IndexTerm;
  static constexpr auto list =
      std::tuple(TENON_FIELD(dim), TENON_FIELD(scale), TENON_FIELD(offset));
};
template <>
struct Fields<OutDim> {
  using T = OutDim;
  static constexpr auto list =
      std::tuple(TENON_FIELD(size), TENON_FIELD(a), TENON_FIELD(b), TENON_FIELD(c),
                 TENON_FIELD(a_index), TENON_FIELD(b_index), TENON_FIELD(c_index),
                 TENON_FIELD(zero), TENON_FIELD(polyphase));
};
template <>
struct Fields<Polyphase> {
  using T = Polyphase;
  static constexpr auto list = std::tuple(
      TENON_FIELD(stride), TENON_FIELD(step), TENON_FIELD(low), TENON_FIELD(dilation),
      TENON_FIELD(window), TENON_FIELD(output), TENON_FIELD(count), TENON_FIELD(tap_step),
      TENON_FIELD(inverse), TENON_FIELD(origin), TENON_FIELD(size), TENON_FIELD(lhs),
      TENON_FIELD(output_dim));
};
template <>
struct Fields<Window> {
  using T = Window;
  static constexpr auto list =
      std::tuple(TENON_FIELD(stride), TENON_FIELD(step), TENON_FIELD(low),
                 TENON_FIELD(limit), TENON_FIELD(outer));
};
template <>
struct Fields<KDim> {
  using T = KDim;
  static constexpr auto list =
      std::tuple(TENON_FIELD(size), TENON_FIELD(a), TENON_FIELD(b), TENON_FIELD(a_index),
                 TENON_FIELD(b_index), TENON_FIELD(window), TENON_FIELD(polyphase));
};
template <>
struct Fields<Contraction> {
  using T = Contraction;
  static constexpr auto list = std::tuple(
      TENON_FIELD(batch), TENON_FIELD(outer), TENON_FIELD(row), TENON_FIELD(lane),
      TENON_FIELD(k_dims), TENON_FIELD(a_base), TENON_FIELD(b_base), TENON_FIELD(c_base),
      TENON_FIELD(a_type), TENON_FIELD(b_type), TENON_FIELD(out_type),
      TENON_FIELD(accumulate), TENON_FIELD(a_is_lhs), TENON_FIELD(a_rank),
      TENON_FIELD(b_rank), TENON_FIELD(c_rank), TENON_FIELD(a_hook), TENON_FIELD(b_hook),
      TENON_FIELD(store_hook), TENON_FIELD(one_thread), TENON_FIELD(a_elements),
      TENON_FIELD(a_in_place), TENON_FIELD(b_in_place), TENON_FIELD(group),
      TENON_FIELD(group_b), TENON_FIELD(polyphases), TENON_FIELD(row_digits));
};
template <>
struct Fields<InputCopy::Dim> {
  using T = InputCopy::Dim;
  static constexpr auto list = std::tuple(
      TENON_FIELD(size), TENON_FIELD(source), TENON_FIELD(dest), TENON_FIELD(padding_low),
      TENON_FIELD(dilation), TENON_FIELD(limit), TENON_FIELD(source_dim));
};
template <>
struct Fields<InputCopy> {
  using T = InputCopy;
  static constexpr auto list =
      std::tuple(TENON_FIELD(dims), TENON_FIELD(from), TENON_FIELD(to), TENON_FIELD(hook),
                 TENON_FIELD(elements));
};
template <>
struct Fields<Stage> {
  using T = Stage;
  static constexpr auto list =
      std::tuple(TENON_FIELD(kind), TENON_FIELD(items), TENON_FIELD(group));
};
template <>
struct Fields<TilePlan::Phase> {
  using T = TilePlan::Phase;
  static constexpr auto list = std::tuple(TENON_FIELD(stages), TENON_FIELD(merged));
};
template <>
struct Fields<TilePlan> {
  using T = TilePlan;
  static constexpr auto list = std::tuple(
      TENON_FIELD(source), TENON_FIELD(problem), TENON_FIELD(operand_type),
      TENON_FIELD(k_group_size), TENON_FIELD(elements), TENON_FIELD(pack_k_groups_a),
      TENON_FIELD(pack_k_groups_b), TENON_FIELD(on_matrix_unit), TENON_FIELD(matrix_step),
      TENON_FIELD(lanes), TENON_FIELD(vectors), TENON_FIELD(rows),
      TENON_FIELD(short_rows), TENON_FIELD(row_tiles), TENON_FIELD(full_row_tiles),
      TENON_FIELD(unroll), TENON_FIELD(taps), TENON_FIELD(column_tiles),
      TENON_FIELD(a_storage), TENON_FIELD(b_storage), TENON_FIELD(private_b),
      TENON_FIELD(micro_panel_at_a_time), TENON_FIELD(pack_blocks),
      TENON_FIELD(pack_a_k_count), TENON_FIELD(a_offset), TENON_FIELD(b_offset),
      TENON_FIELD(copy_k_strides), TENON_FIELD(a_micro_panel_elements),
      TENON_FIELD(zero_products), TENON_FIELD(zero_offset), TENON_FIELD(zero_row),
      TENON_FIELD(k_slices), TENON_FIELD(slice_size), TENON_FIELD(k_block),
      TENON_FIELD(column_tile_outer), TENON_FIELD(whole_slices),
      TENON_FIELD(partial_offset), TENON_FIELD(streaming), TENON_FIELD(prefetch_a),
      TENON_FIELD(chunk_batches), TENON_FIELD(chunk_column_tiles),
      TENON_FIELD(chunk_row_tiles), TENON_FIELD(rows_outer), TENON_FIELD(dot),
      TENON_FIELD(dot_ahead), TENON_FIELD(input_copy), TENON_FIELD(phases));
};
template <>
struct Fields<KernelPlan> {
  using T = KernelPlan;
  static constexpr auto list = std::tuple(
      TENON_FIELD(scratch_bytes), TENON_FIELD(phase_chunks), TENON_FIELD(estimated_ns),
      TENON_FIELD(packed_bytes), TENON_FIELD(tiles));
};
template <>
struct Fields<FftStep> {
  using T = FftStep;
  static constexpr auto list =
      std::tuple(TENON_FIELD(radix), TENON_FIELD(rest), TENON_FIELD(columns),
                 TENON_FIELD(convolved), TENON_FIELD(in_place));
};
template <>
struct Fields<FourStepFft> {
  using T = FourStepFft;
  static constexpr auto list = std::tuple(
      TENON_FIELD(length), TENON_FIELD(a), TENON_FIELD(b), TENON_FIELD(convolution),
      TENON_FIELD(real_input), TENON_FIELD(real_output), TENON_FIELD(half_output),
      TENON_FIELD(parts), TENON_FIELD(steps_a), TENON_FIELD(steps_b),
      TENON_FIELD(numbers_offset), TENON_FIELD(first_offset), TENON_FIELD(middle_offset),
      TENON_FIELD(memory_bytes), TENON_FIELD(stride_a), TENON_FIELD(stride_b));
};
template <>
struct Fields<FftPhase> {
  using T = FftPhase;
  static constexpr auto list =
      std::tuple(TENON_FIELD(kind), TENON_FIELD(outer), TENON_FIELD(length),
                 TENON_FIELD(inner), TENON_FIELD(from), TENON_FIELD(to),
                 TENON_FIELD(real_side), TENON_FIELD(real_pairs), TENON_FIELD(scale),
                 TENON_FIELD(split), TENON_FIELD(first_part), TENON_FIELD(last_part),
                 TENON_FIELD(steps), TENON_FIELD(units), TENON_FIELD(chunks));
};
template <>
struct Fields<FftPlan> {
  using T = FftPlan;
  static constexpr auto list =
      std::tuple(TENON_FIELD(lanes), TENON_FIELD(phases), TENON_FIELD(four_step),
                 TENON_FIELD(temporary_bytes), TENON_FIELD(memory_per_chunk),
                 TENON_FIELD(buffer_bytes), TENON_FIELD(butterfly_bytes),
                 TENON_FIELD(buffers_offset), TENON_FIELD(chunk_bytes),
                 TENON_FIELD(scratch_bytes), TENON_FIELD(estimated_ns));
};
template <>
struct Fields<LinalgPlan> {
  using T = LinalgPlan;
  static constexpr auto list = std::tuple(
      TENON_FIELD(lanes), TENON_FIELD(vectors), TENON_FIELD(group), TENON_FIELD(rows),
      TENON_FIELD(panels), TENON_FIELD(across_batch), TENON_FIELD(whole_matrices),
      TENON_FIELD(units), TENON_FIELD(panel_bytes), TENON_FIELD(scratch_bytes),
      TENON_FIELD(phase_chunks), TENON_FIELD(function_of), TENON_FIELD(estimated_ns));
};
template <>
struct Fields<RecordLayout> {
  using T = RecordLayout;
  static constexpr auto list =
      std::tuple(TENON_FIELD(key_bits), TENON_FIELD(has_position));
};
template <>
struct Fields<SortPlan> {
  using T = SortPlan;
  static constexpr auto list = std::tuple(
      TENON_FIELD(kind), TENON_FIELD(scratch_bytes), TENON_FIELD(phase_chunks),
      TENON_FIELD(function_of), TENON_FIELD(estimated_ns), TENON_FIELD(rows_per_chunk),
      TENON_FIELD(blocks), TENON_FIELD(block_passes), TENON_FIELD(merge_phases),
      TENON_FIELD(buffer_offsets), TENON_FIELD(buffer_elements), TENON_FIELD(layout),
      TENON_FIELD(region_bytes), TENON_FIELD(max_network_records), TENON_FIELD(chunks),
      TENON_FIELD(buffer_bytes), TENON_FIELD(counters_offset), TENON_FIELD(bits_offset),
      TENON_FIELD(parts), TENON_FIELD(capacity), TENON_FIELD(samples),
      TENON_FIELD(positions_offset), TENON_FIELD(records_offset),
      TENON_FIELD(swap_records_offset), TENON_FIELD(block_offset),
      TENON_FIELD(best_offset));
};

#undef TENON_FIELD

// The number of members of the aggregate `T`: the largest number of values that can
// initialize it.
struct AnyValue {
  template <typename T>
  operator T() const;  // not defined: for unevaluated expressions
};
template <typename T, typename... Values>
constexpr size_t MemberCount() {
  if constexpr (requires { T{Values{}..., AnyValue{}}; })
    return MemberCount<T, Values..., AnyValue>();
  else
    return sizeof...(Values);
}
// `others` is the number of members that are not fields, because they follow from the op
// or the target.
template <typename T>
constexpr bool HasAllFields(size_t others = 0) {
  return std::tuple_size_v<decltype(Fields<T>::list)> + others == MemberCount<T>();
}

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_PLAN_FIELDS_H_
