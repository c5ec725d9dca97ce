"""Settings of the training steps, equal in every framework."""
SGD_RATE, MOMENTUM = 1e-4, 0.9
ADAM_RATE, ADAM_BETAS, ADAM_EPSILON = 1e-4, (0.9, 0.999), 1e-8
