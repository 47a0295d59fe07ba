import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { assignedFieldsInVite } from './scripts/assigned-fields.mjs';

// Targets are set by hand: the defaults follow the installed Electron, which is newer than the oldest one we run on.
// Main and preload are CommonJS: that Electron has no ES module main, and a sandboxed preload is CommonJS in every one.
const oldestNode = 'node18';
const oldestChrome = 'chrome114';

export default defineConfig({
  main: {
    plugins: [assignedFieldsInVite],
    build: {
      outDir: 'out/main',
      target: oldestNode,
      // Bundled, because most of our libraries are ES modules; only the native one stays outside.
      externalizeDeps: false,
      sourcemap: true,
      rollupOptions: {
        external: ['electron', 'libsql'],
        input: { main: resolve('src/main/main.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      target: oldestNode,
      externalizeDeps: false,
      rollupOptions: {
        input: { preload: resolve('src/preload/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react()],
    worker: { format: 'es' },
    build: {
      outDir: resolve('out/renderer'),
      target: oldestChrome,
      minify: true,
      // Read from the disk beside it: a large file costs no download, and the editor is one.
      chunkSizeWarningLimit: 5000,
      rollupOptions: { input: resolve('src/renderer/index.html') },
    },
  },
});
