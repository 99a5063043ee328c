import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { developmentIssuer } from './issuer.ts';

const gateway = 'http://127.0.0.1:4000';
// The browser sees one origin, so the gateway needs no CORS headers.
const proxy = { '/graphql': gateway, '/export': gateway };
const server = { host: '127.0.0.1', port: 5173, strictPort: true, proxy };

export default defineConfig({
  plugins: [react(), developmentIssuer()],
  server,
  preview: { ...server, headers: { 'content-security-policy': "default-src 'self'" } },
});
