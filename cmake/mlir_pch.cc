// An empty source, to build the precompiled header (see TenonTargets.cmake).
