import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { developmentIssuer } from './issuer.ts';

// The gateway reads the same settings.
const file = parseEnv(readFileSync(new URL('gateway.env', import.meta.url), 'utf8'));
const { PORT, JWT_JWKS_URL = '' } = { ...file, ...process.env };
const gateway = `http://127.0.0.1:${PORT}`;
const port = Number(new URL(JWT_JWKS_URL).port);
// The browser sees one origin, so the gateway needs no CORS headers.
const proxy = { '/graphql': gateway, '/export': gateway };
const server = { host: '127.0.0.1', port, strictPort: true, proxy };

export default defineConfig({
  plugins: [react(), developmentIssuer()],
  server,
  preview: { ...server, headers: { 'content-security-policy': "default-src 'self'" } },
});
