import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../money/support/memory-store.ts';
import { reasonToSkip } from '../../support/installed.ts';
import { patientGateway, patientStore } from '../../support/patience.ts';
import { startGateway } from '../../support/start-stack.ts';
import { scratchFolder } from '../../support/storage.ts';
import { type LedgerService, startLedgerService } from '../search/ledger-service.ts';
import { plain, toWire } from '../search/payment-model.ts';

const why = reasonToSkip({ soffice: '--version' });
if (why !== '') console.warn(`Spreadsheets in LibreOffice${why}`);

/** Texts that a spreadsheet would change if it read them from CSV. */
const TEXTS = [
  ...['Bäckerei Zürich 🥐', '00123', '4100000000000000', '12345678901234567890', '1E5', '1/2'],
  ...['=1+1', '+4512345678', '-5', '-x', '@a', '\tx', '\rx', "'=1", '2026-01-02', 'TRUE', '1,5'],
  ...['"a", b;c', 'a\nb\r\nc', '  a  b ', '<b>&amp;', '_x0041_', '\u0001', '1.000'],
];

/** Amounts of currencies with zero to four decimals, and what they are. */
const AMOUNTS = [
  ['JPY', 1_000, '1000'],
  ['EUR', 1_050, '10.50'],
  ['EUR', 0, '0.00'],
  ['TND', 1_500, '1.500'],
  ['CLF', 10_203, '1.0203'],
  // Sixteen digits.
  ['EUR', 9_007_199_254_740_991, '90071992547409.91'],
] as const;

const CREATED = '2026-07-31T22:30:15.000Z';
/** As a spreadsheet counts days. */
const CREATED_DAY = Date.parse(CREATED) / 86_400_000 + 25_569;

let service: LedgerService;
let gateway: Awaited<ReturnType<typeof startGateway>>;

const start = (changes: Partial<Parameters<typeof startGateway>[0]> = {}) =>
  startGateway({
    services: { usersUrl: service.url, paymentsUrl: service.url, posUrl: service.url },
    pageMax: 10,
    store: createMemoryStore(Date.now, patientStore.leaseMs),
    ...changes,
  });

beforeAll(async () => {
  service = await startLedgerService();
  gateway = await start();
  const transactions = TEXTS.map((descriptor, index) => {
    const [currency, amount] = AMOUNTS[index % AMOUNTS.length] ?? AMOUNTS[0];
    const wire = toWire({ ...plain, id: `t${index}`, currency, amount }, 'm1');
    return { ...wire, descriptor, created: CREATED, custom: index === 0 ? { a: ['ä'] } : null };
  });
  const line = { ...{ id: 'l1', merchantId: 'm1', created: CREATED }, balance: -1_234 };
  service.show({
    merchant: { id: 'm1', currency: 'EUR', test: true },
    transactions,
    lines: [line],
    disputes: [],
  });
});
afterAll(async () => {
  expect(gateway?.bugs).toEqual([]);
  await gateway?.close();
  await service?.close();
});

const TRANSACTIONS =
  '{ merchant(id: "m1") { transactions { edges { node { statementDescriptor amount { decimal minorUnits } createdAt successful custom trail { __typename } card { last4 } } } } } }';
const LINES =
  '{ merchant(id: "m1") { lines { edges { node { rawId balanceChange { decimal minorUnits } } } } } }';

async function exportFrom(query: string, { url } = gateway, after?: string) {
  const response = await fetch(new URL('/export', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer any-key' },
    body: JSON.stringify({ query, format: 'xlsx', after }),
  });
  expect(response.status).toBe(200);
  return { headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** A cell as a spreadsheet has it: a text, a number, a truth value or a date. */
type Cell = string | number | boolean | { readonly day: number } | null;

/** Reads the cells of the file itself. */
function readCells(bytes: Uint8Array): Cell[][] {
  const files = unzipSync(bytes);
  const sheet = strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  expect(sheet).toMatch(/<\/sheetData><\/worksheet>$/);
  return [...sheet.matchAll(/<row>(.*?)<\/row>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<c(?: s="(\d+)")?(?: t="(\w+)")?(?:\/>|>(.*?)<\/c>)/gs)].map(
      ([, style, type, content]): Cell => {
        if (content === undefined) return null;
        const value = content.replaceAll(/<.*?>/g, '');
        if (type === 'b') return value === '1';
        if (type === 'inlineStr') return unescapeXml(value);
        return style === '2' || style === '3' ? { day: Number(value) } : Number(value);
      },
    ),
  );
}

const unescapeXml = (text: string) =>
  text
    .replaceAll(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)))
    .replaceAll(/_x([\dA-F]{4})_/g, (_all, code) => String.fromCharCode(Number.parseInt(code, 16)));

/** Opens the file in LibreOffice, and reads the cells that it has found. */
function openInLibreOffice(bytes: Uint8Array): Cell[][] {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'export.xlsx'), bytes);
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const args = [profile, '--headless', '--convert-to', 'fods', '--outdir', folder];
  const { status, stderr } = spawnSync('soffice', [...args, join(folder, 'export.xlsx')]);
  expect({ status, stderr: String(stderr) }).toMatchObject({ status: 0 });
  const table = readFileSync(join(folder, 'export.fods'), 'utf8');
  // LibreOffice has truth values only as formulas.
  expect(table.replaceAll(new RegExp(TRUTH, 'g'), '')).not.toContain('table:formula');
  return [...table.matchAll(/<table:table-row [^>]*?>(.*?)<\/table:table-row>/gs)].map(
    ([, row = '']) =>
      [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
        ([, attributes = '', content = '']): Cell[] => {
          const [, repeated = '1'] = /number-columns-repeated="(\d+)"/.exec(attributes) ?? [];
          return Array(Math.min(Number(repeated), 20)).fill(toCell(attributes, content));
        },
      ),
  );
}

const TRUTH = /table:formula="of:=(TRUE|FALSE)\(\)"/;

function toCell(attributes: string, content: string): Cell {
  const read = (name: string) => new RegExp(`office:${name}="(.*?)"`).exec(attributes)?.[1] ?? '';
  if (TRUTH.test(attributes)) return attributes.includes('TRUE');
  const type = read('value-type');
  if (type === '') return null;
  if (type === 'float') return Number(read('value'));
  if (type === 'date') return { day: Date.parse(`${read('date-value')}Z`) / 86_400_000 + 25_569 };
  const paragraphs = [...content.matchAll(/<text:p(?:\/>|>(.*?)<\/text:p>)/gs)];
  return paragraphs
    .map(([, text = '']) =>
      text
        .replaceAll('<text:tab/>', '\t')
        .replaceAll(/<text:s(?: text:c="(\d+)")?\/>/g, (_all, count = '1') =>
          ' '.repeat(Number(count)),
        )
        .replaceAll(/<.*?>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&apos;', "'")
        .replaceAll('&#x0d;', '\r')
        .replaceAll('&amp;', '&'),
    )
    .join('\n');
}

/** The cells of a transaction, behind its cursor. */
function expectedRow(text: string, index: number): unknown[] {
  const [, minorUnits, decimal] = AMOUNTS[index % AMOUNTS.length] ?? AMOUNTS[0];
  const isExact = minorUnits < 1e15;
  return [
    text,
    ...(isExact ? [Number(decimal), minorUnits] : [decimal, String(minorUnits)]),
    { day: expect.closeTo(CREATED_DAY, 5) },
    true,
    index === 0 ? '{"a":["ä"]}' : null,
    '[]',
    '4242',
  ];
}

const HEADER = [
  ...['cursor', 'statementDescriptor', 'amount.decimal', 'amount.minorUnits', 'createdAt'],
  ...['successful', 'custom', 'trail', 'card.last4'],
];

test('XLSX has texts as texts, and exact numbers, times and truth values as such', async () => {
  const { headers, bytes } = await exportFrom(TRANSACTIONS);
  expect(headers.get('content-disposition')).toBe('attachment; filename="export.xlsx"');
  expect(headers.get('content-type')).toBe(
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  );
  const [header, ...rows] = readCells(bytes);
  expect(header).toEqual(HEADER);
  expect(rows.map(([, ...cells]) => cells)).toEqual(TEXTS.map(expectedRow));
  const [, line] = readCells((await exportFrom(LINES)).bytes);
  expect(line?.slice(1)).toEqual(['l1', -12.34, -1_234]);
});

test('the formats of numbers show the decimals of their currency', async () => {
  const { bytes } = await exportFrom(TRANSACTIONS);
  const { 'xl/worksheets/sheet1.xml': sheet, 'xl/styles.xml': styles } = unzipSync(bytes);
  const [, decimals = ''] = /<cellXfs.*?>(.*)<\/cellXfs>/s.exec(strFromU8(styles ?? bytes)) ?? [];
  const ids = [...decimals.matchAll(/<xf(?: numFmtId="(\d+)")?/g)].map(([, id]) => id);
  const formatOf = (text: string) => {
    const [, style] = new RegExp(`s="(\\d+)"><v>${text}</v>`).exec(strFromU8(sheet ?? bytes)) ?? [];
    const code = new RegExp(`numFmtId="${ids[Number(style)]}" formatCode="(.*?)"`);
    return code.exec(strFromU8(styles ?? bytes))?.[1];
  };
  expect(['1000', '10.50', '1.500', '1.0203'].map(formatOf)).toEqual([
    ...['0', '0.00', '0.000', '0.0000'],
  ]);
});

test('a continued export is a complete file, and one that fails is none', async () => {
  const [, first] = readCells((await exportFrom(TRANSACTIONS)).bytes);
  const rest = readCells((await exportFrom(TRANSACTIONS, gateway, String(first?.[0]))).bytes);
  expect(rest).toHaveLength(TEXTS.length);
  expect(rest[0]).toEqual(HEADER);
  const limited = await start({ exports: { ...patientGateway.exports, maxItems: 10 } });
  await expect(exportFrom(TRANSACTIONS, limited)).rejects.toThrow(/terminated|fetch failed/);
  await limited.close();
});

describe.skipIf(why !== '')(`in LibreOffice${why}`, () => {
  test('every cell is what it was in the graph', async () => {
    const [header, ...rows] = openInLibreOffice((await exportFrom(TRANSACTIONS)).bytes);
    expect(header?.slice(0, HEADER.length)).toEqual(HEADER);
    // LibreOffice leaves out control characters, and has one kind of line break.
    const shown = TEXTS.map((text) => text.replace('\u0001', '').replace('\r\n', '\n'));
    for (const [index, text] of shown.entries()) {
      expect(rows[index]?.slice(1, HEADER.length)).toEqual(expectedRow(text, index));
    }
    const [, line] = openInLibreOffice((await exportFrom(LINES)).bytes);
    expect(line?.slice(1, 4)).toEqual(['l1', -12.34, -1_234]);
  });
});
