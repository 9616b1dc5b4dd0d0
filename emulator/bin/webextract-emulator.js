#!/usr/bin/env node
// npm links a command while it installs, when dist is not built yet. This file is always there.
require("../dist/cli.js");
