// The sources import './x.js', as Node wants it; under Jest the TypeScript file beside it is what exists.
const fs = require('node:fs');
const path = require('node:path');

module.exports = (request, options) => {
  if (/^\.{1,2}\//.test(request) && request.endsWith('.js') && !options.basedir.includes('node_modules')) {
    const source = path.resolve(options.basedir, request.replace(/\.js$/, '.ts'));
    if (fs.existsSync(source)) {
      return source;
    }
  }
  return options.defaultResolver(request, options);
};
