import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The development server passes requests of the pages on to `npm start`, which must be running.
const gateway = 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ['@image-gateway/source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    // Inlined files would be data: URLs, which the Content-Security-Policy allows for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Pages share small parts and icons: a file of each would be a way to the server and back of its own.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'ui', test: /src\/(ui|lib|api)\/|lucide-react|@base-ui|@floating-ui/, minShareCount: 2 },
          ],
        },
      },
    },
    license: { fileName: 'third-party-licenses.txt' },
  },
  server: { proxy: { '/dashboard/api': gateway, '/files': gateway } },
});
