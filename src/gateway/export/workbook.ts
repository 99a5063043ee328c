import { Zip, ZipDeflate } from 'fflate';
import { SHEET_END, SHEET_START, STYLES } from './sheet.ts';

/** An XLSX file (ECMA-376) with one sheet, written incrementally. */
export interface Workbook {
  /** Adds rows. Returns the bytes that are ready. */
  add(rows: string): Uint8Array;
  /** Ends the file. Returns the last bytes. */
  end(): Uint8Array;
  /** Whether another page of rows may not fit. */
  readonly isFull: boolean;
}

/** Maximum size of the sheet before compression. */
const MAX_BYTES = 4_000_000_000;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The parts of the file besides the sheet. */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="workbook" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><sheets><sheet name="Export" sheetId="1" r:id="sheet"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="sheet" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="styles" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': STYLES,
};

/** Starts a file, which holds only some of its rows in memory. */
export function createWorkbook(): Workbook {
  let ready: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    ready.push(bytes);
  });
  const addPart = (name: string) => {
    const part = new ZipDeflate(name);
    zip.add(part);
    return part;
  };
  for (const [name, text] of Object.entries(PARTS))
    addPart(name).push(Buffer.from(XML + text), true);
  const sheet = addPart('xl/worksheets/sheet1.xml');
  let written = 0;
  const push = (text: string, isLast = false) => {
    const bytes = Buffer.from(text);
    written += bytes.length;
    sheet.push(bytes, isLast);
    if (isLast) zip.end();
    const taken = Buffer.concat(ready);
    ready = [];
    return taken;
  };
  const start = push(XML + SHEET_START);
  ready.push(start);
  return {
    add: (rows) => push(rows),
    end: () => push(SHEET_END, true),
    get isFull() {
      return written > MAX_BYTES;
    },
  };
}
