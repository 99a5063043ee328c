import { params } from './address.ts';

interface FieldProperties {
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  /** Values and what they are called. With options, the field is a choice. */
  readonly options?: readonly (readonly [value: string, name: string])[];
  /** The value if the address has none. */
  readonly value?: string;
}

/** A field of a form. It shows what is in the address, and sending the form puts it there. */
export function Field({ name, label, type, options, value = '' }: FieldProperties) {
  const field = { name, defaultValue: params.get(name) ?? value };
  if (options === undefined) {
    return (
      <label>
        {label} <input type={type} {...field} />
      </label>
    );
  }
  return (
    <label>
      {label}{' '}
      <select {...field}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
