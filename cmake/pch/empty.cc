// An empty source, to build the precompiled headers (see TenonTargets.cmake).
