// The source that carries the precompiled header (see TenonTargets.cmake).
