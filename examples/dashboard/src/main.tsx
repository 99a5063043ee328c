import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { openSession, SIGN_IN } from './gateway.ts';
import './style.css';

const session = await openSession();
if (session === undefined || session === null) location.assign(SIGN_IN);
else createRoot(document.getElementById('root') as HTMLElement).render(<App {...session} />);
