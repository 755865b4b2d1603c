import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';
import { messages } from './build/messages.ts';

/** Those whose parts are alike: lists, and what is behind their rows. */
const LATER_PAGES =
  /\/src\/(?:routes\/(?:account|alerts|audit|key|model|operation|overview|people|playground|polic|provider|request[./](?!s)|settings|usage)|parts\/(?:figures\/diff|values\/clip)|app\/help|format\/(?:alignment|budget|json-place|meter-names|money-sum|sse))|\/lucide-react\/.*\/(?:external-link|git-compare|image-plus|link-2|pencil|rotate-ccw|send-horizontal|shield-check|user-plus)\./;
/** What is typed to find something. */
const COMMANDS = /\/cmdk\/|\/src\/(?:app\/palette|parts\/choose\/choice-list)/;

export default defineConfig({
  base: '/console/',
  plugins: [react(), messages(), compressed()],
  build: {
    outDir: '../gateway/console',
    emptyOutDir: true,
    target: 'es2023',
    // An image in a style sheet would be a data: address; fonts and styles have none of those.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Small files compress badly: one style sheet, and one file for the pages that are not the first, is 27 KB less to load in all.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'pages', test: LATER_PAGES },
            { name: 'commands', test: COMMANDS },
            { name: 'shared', minShareCount: 3 },
          ],
          includeDependenciesRecursively: false,
        },
      },
    },
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(
      // Results are linked below /api.
      ['/admin', '/api'].map((path) => [
        path,
        { target: process.env['TRIVIUM_ADMIN_URL'] ?? 'http://127.0.0.1:8081', changeOrigin: false },
      ]),
    ),
  },
});
