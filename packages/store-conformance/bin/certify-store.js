#!/usr/bin/env node
// Stands beside the build, so that package managers can link it before there is one.
import "../dist/main.js";
