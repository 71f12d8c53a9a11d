// The sources import './x.js', as Node wants it; under Jest the TypeScript file beside it is what exists.
const fs = require('node:fs');
const path = require('node:path');

// Modules that say where a program of the product lies. Processes of tests run the compiled one: the loader of TypeScript takes a second
// of the processor each time, several where V8 compiles nothing.
const PROGRAM = /\/src\/(.*\/(?:decoder|document)-program)\.ts$/;

module.exports = (request, options) => {
  if (/^\.{1,2}\//.test(request) && request.endsWith('.js') && !options.basedir.includes('node_modules')) {
    const source = path.resolve(options.basedir, request.replace(/\.js$/, '.ts'));
    if (fs.existsSync(source)) {
      return source.replace(PROGRAM, '/dist/$1.js');
    }
  }
  return options.defaultResolver(request, options);
};
