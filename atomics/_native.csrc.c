#include "dwcas/backend.h"
#include "dwcas/build.h"
#include "dwcas/calls.h"
#include "dwcas/engine.h"
