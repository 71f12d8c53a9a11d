#!/bin/sh
# The operator's command line in the images: gateway doctor
exec node /app/apps/api/dist/cli/main.js "$@"
