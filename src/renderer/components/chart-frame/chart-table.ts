/** The numbers behind a chart, as they go into a CSV: one column per thing drawn, empty where nothing is known. */
export interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** RFC 4180 text with a header line; full precision, because a file is read by programs. */
export function toCsv({ columns, rows }: ChartTable): string {
  return `${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
