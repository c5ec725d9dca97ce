// md [--steps N] [--fused]: molecular dynamics in C++ with a potential from JAX. Prints
// the energies and, at the end, how well their sum was conserved.
//
// The potential is an object file. It reads positions and writes forces in the arrays of
// the simulation. With --fused, the whole step is an object too, and updates positions,
// velocities and forces in place.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "constants.h"
#include "potential.h"
#include "step.h"

namespace {

constexpr int kCoordinates = 3 * kAtoms;

struct State {
  alignas(64) double x[kCoordinates];
  alignas(64) double v[kCoordinates];
  alignas(64) double f[kCoordinates];
  double potential, kinetic;
};

State state;
alignas(64) unsigned char arena[POTENTIAL_ARENA_BYTES > STEP_ARENA_BYTES
                                    ? POTENTIAL_ARENA_BYTES
                                    : STEP_ARENA_BYTES];

double KineticEnergy() {
  double sum = 0;
  for (const double v : state.v) sum += v * v;
  return sum / 2;
}

// A face-centred cubic lattice, velocities of temperature 1.4 without a common motion.
void Start() {
  constexpr int kCells = 3;
  static_assert(4 * kCells * kCells * kCells == kAtoms);
  constexpr double kBasis[4][3] = {
      {0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  std::mt19937_64 random(1);
  std::normal_distribution<double> velocity(0, std::sqrt(1.4));
  double mean[3] = {};
  for (int atom = 0; atom < kAtoms; ++atom) {
    const int cell = atom / 4;
    const int at[3] = {cell % kCells, cell / kCells % kCells, cell / kCells / kCells};
    for (int k = 0; k < 3; ++k) {
      state.x[3 * atom + k] = (at[k] + kBasis[atom % 4][k] + 0.25) * kBox / kCells;
      state.v[3 * atom + k] = velocity(random);
      mean[k] += state.v[3 * atom + k] / kAtoms;
    }
  }
  for (int i = 0; i < kCoordinates; ++i) state.v[i] -= mean[i % 3];
  potential_run(state.x, &state.potential, state.f, arena);
  state.kinetic = KineticEnergy();
}

// Velocity Verlet.
void Step() {
  for (int i = 0; i < kCoordinates; ++i) {
    state.v[i] += 0.5 * kDt * state.f[i];
    state.x[i] += kDt * state.v[i];
  }
  potential_run(state.x, &state.potential, state.f, arena);
  for (int i = 0; i < kCoordinates; ++i) state.v[i] += 0.5 * kDt * state.f[i];
  state.kinetic = KineticEnergy();
}

void FusedStep() {
  step_run(state.x, state.v, state.f, &state.potential, &state.kinetic, arena);
}

double Total() { return (state.potential + state.kinetic) / kAtoms; }

}  // namespace

int main(int argc, char** argv) {
  int steps = 2000;
  bool fused = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--fused")) {
      fused = true;
    } else if (!std::strcmp(argv[i], "--steps") && i + 1 < argc) {
      steps = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "md [--steps N] [--fused]\n");
      return 2;
    }
  }
  if (!potential_supported() || !step_supported()) {
    std::fprintf(stderr, "this processor cannot run code for %s\n",
                 potential_info.target);
    return 1;
  }
  Start();
  const double start = Total();
  double largest = 0, seconds = 0;
  std::printf("  step  potential   kinetic       total  (per atom)\n");
  for (int i = 0;; ++i) {
    if (i % (steps / 10 > 0 ? steps / 10 : 1) == 0)
      std::printf("%6d %10.5f %9.5f %11.7f\n", i, state.potential / kAtoms,
                  state.kinetic / kAtoms, Total());
    if (i == steps) break;
    const auto before = std::chrono::steady_clock::now();
    fused ? FusedStep() : Step();
    seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    largest = std::fmax(largest, std::fabs(Total() - start));
  }
  std::printf("largest change of the energy per atom: %.2e\n", largest);
  std::printf("%.0f steps per second\n", steps / seconds);
  std::printf("atom 0 at %.12f %.12f %.12f\n", state.x[0], state.x[1], state.x[2]);
}
