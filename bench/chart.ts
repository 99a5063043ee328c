import type { Table } from './results.ts';
import type { Measured, Row } from './row.ts';

/** The background that a chart is made for. */
export type Theme = 'light' | 'dark';

const colors = {
  light: { text: '#1f2328', muted: '#59636e', own: '#0969da', other: '#afb8c1', line: '#59636e' },
  dark: { text: '#f0f6fc', muted: '#9198a1', own: '#4493f8', other: '#656c76', line: '#9198a1' },
};

const WIDTH = 880;
const COLUMNS = 2;
const GAP = 40;
const PANEL_WIDTH = (WIDTH - GAP) / COLUMNS;
const LABEL_WIDTH = 160;
const VALUE_WIDTH = 50;
const BAR_WIDTH = PANEL_WIDTH - LABEL_WIDTH - VALUE_WIDTH;
const BAR_HEIGHT = 12;
const ROW_HEIGHT = 18;
const TITLE_HEIGHT = 26;
const PANEL_GAP = 22;
const HEAD_HEIGHT = 34;

type Bar = Measured & { readonly ratio: number };

/** Variants of the gateway are in the tables only. */
function isBar(row: Row): row is Bar {
  return !('reason' in row) && row.ratio !== null && !row.contestant.startsWith('tillgraph-');
}

/** Draws the requests per second of each scenario, relative to the handler without GraphQL. */
export function drawChart(tables: readonly Table[], theme: Theme): string {
  const { text, muted } = colors[theme];
  const panels = tables
    .map(({ title, rows }) => ({ title, bars: rows.filter(isBar) }))
    .filter(({ bars }) => bars.length > 0);
  const most = Math.max(0, ...panels.map(({ bars }) => bars.length));
  const panelHeight = TITLE_HEIGHT + most * ROW_HEIGHT + PANEL_GAP;
  const height = HEAD_HEIGHT + Math.ceil(panels.length / COLUMNS) * panelHeight;
  const drawn = panels.map(({ title, bars }, index) => {
    const x = (index % COLUMNS) * (PANEL_WIDTH + GAP);
    const y = HEAD_HEIGHT + Math.floor(index / COLUMNS) * panelHeight;
    return `<g transform="translate(${x} ${y})">${drawPanel(title, bars, theme)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img">
<title>Requests per second, relative to a hand-written handler without GraphQL</title>
<text y="16" font-size="14" font-weight="600" fill="${text}">Requests per second</text>
<text x="180" y="16" fill="${muted}">relative to a hand-written handler without GraphQL on the same core; longer is faster</text>
${drawn.join('\n')}
</svg>
`;
}

function drawPanel(title: string, bars: readonly Bar[], theme: Theme): string {
  const { text, line } = colors[theme];
  const longest = Math.max(1, ...bars.map(({ ratio }) => ratio));
  const scale = BAR_WIDTH / longest;
  const rows = bars.map((bar, index) =>
    drawBar(bar, TITLE_HEIGHT + index * ROW_HEIGHT, scale, theme),
  );
  const x = (LABEL_WIDTH + scale).toFixed(1);
  const bottom = TITLE_HEIGHT + bars.length * ROW_HEIGHT;
  const mark = `<line x1="${x}" x2="${x}" y1="${TITLE_HEIGHT - 4}" y2="${bottom}" stroke="${line}" stroke-dasharray="2 2"/>`;
  return `<text y="14" font-weight="600" fill="${text}">${escapeText(title)}</text>${rows.join('')}${mark}`;
}

function drawBar({ contestant, ratio }: Bar, y: number, scale: number, theme: Theme): string {
  const { text, muted, own, other } = colors[theme];
  const isOwn = contestant === 'tillgraph';
  const width = Math.max(1, ratio * scale);
  const baseline = y + BAR_HEIGHT - 2;
  const label = `<text x="${LABEL_WIDTH - 8}" y="${baseline}" text-anchor="end" fill="${isOwn ? text : muted}">${escapeText(contestant)}</text>`;
  const bar = `<rect x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2" fill="${isOwn ? own : other}"/>`;
  const value = `<text x="${(LABEL_WIDTH + width + 6).toFixed(1)}" y="${baseline}" fill="${text}">${ratio.toFixed(2)}</text>`;
  return label + bar + value;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
