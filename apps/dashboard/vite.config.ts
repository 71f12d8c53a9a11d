import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// `npm start` must be running for the development server: it answers what the pages ask.
const gateway = 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ['@image-gateway/source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    // Inlined files would be data: URLs, which the Content-Security-Policy allows for pictures only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      treeshake: { moduleSideEffects: (id) => !id.includes('/packages/shared/') && !id.includes('/joi/') },
    },
  },
  server: { proxy: { '/dashboard/api': gateway, '/files': gateway } },
});
