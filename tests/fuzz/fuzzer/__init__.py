"""Random StableHLO programs, run on Tenon, on JAX's built-in CPU and by the evaluator.

  types, ranges   element types; known properties of a value: bounds, error, exactness
  builder         a program under construction, as text
  ops_*           one generator per operation family
  generate        seed -> program
  execute         program -> results on a PJRT device or by the evaluator
  compare         comparison of results
  shrink          a failing program -> a small failing program -> a test file
  worker          a process that runs and judges programs
  session         the parent's side of a worker
"""
