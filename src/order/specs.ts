import { Failure } from '../errors.ts';
import { numberOf, shown } from '../text.ts';

/** A group of equal pieces, as `--package` and the single flags give it: kg and cm. */
export interface Parcel {
  quantity: number;
  weight: number;
  length: number;
  width: number;
  height: number;
}

const NUMBER = '(\\d+(?:\\.\\d+)?|\\.\\d+)';
const PACKAGE = new RegExp(
  `^\\s*(?:(\\d+)\\s*x\\s*)?${NUMBER}\\s*(?:kg)?\\s*@\\s*${NUMBER}\\s*x\\s*${NUMBER}\\s*x\\s*${NUMBER}\\s*(?:cm)?\\s*$`,
  'i',
);

// Many blanks between two optional parts would take time with the square of their number.
const matchPackage = (spec: string) => PACKAGE.exec(spec.replace(/\s+/g, ' '));

export const isPackage = (spec: string): boolean => matchPackage(spec) !== null;

/** `2x1.5kg@30x20x10cm`: pieces × weight each @ length × width × height. `label` begins the message. Throws `usage`. */
export function parsePackage(spec: string, label = '--package'): Parcel {
  const match = matchPackage(spec);
  const refuse = (hint: string) =>
    new Failure(
      'usage',
      `${label} ${shown(spec)} is not of the form [PIECESx]WEIGHT[kg]@LENGTHxWIDTHxHEIGHT[cm]; ${hint}`,
    );
  if (match === null)
    throw refuse(/\d,\d/.test(spec) ? 'decimals have a dot, not a comma' : 'try 2x1.5kg@30x20x10cm');
  // Only the pieces may be left out.
  const exact = (part = '1'): number => {
    const number = numberOf(part);
    if (number === undefined) throw refuse(`${shown(part)} has too many digits`);
    return number;
  };
  const [quantity = 1, weight = 0, length = 0, width = 0, height = 0] = match.slice(1).map(exact);
  return { quantity, weight, length, width, height };
}

/** `3x@small`: three times the parcel saved as `small`. `undefined` if it is not such a reference. */
export function parsePreset(spec: string): { times: number; name: string } | undefined {
  const match = /^\s*(?:(\d+)\s*x\s*)?@([\w.@-]+)\s*$/i.exec(spec);
  return match === null ? undefined : { times: Number(match[1] ?? 1), name: match[2] ?? '' };
}

/** `description=T-shirt,hsCode=610910,…` as pairs; a comma separates them only if a `name=` follows. Throws `usage`. */
export function parseItem(spec: string): [name: string, value: string][] {
  const refuse = (why: string) => new Failure('usage', `--item ${shown(spec)} ${why}`);
  const pairs = spec.split(/,\s*(?=[A-Za-z_]\w*=)/).map((part): [string, string] => {
    const at = part.indexOf('=');
    if (at < 1)
      throw refuse(
        'is not of the form NAME=VALUE,NAME=VALUE; try description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5',
      );
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
  const names = new Set<string>();
  const twice = pairs.map(([name]) => name).find(name => names.size === names.add(name).size);
  if (twice !== undefined) throw refuse(`gives ${twice} twice`);
  return pairs;
}

/** `X-Name: value`. Throws `usage`. */
export function parseHeader(spec: string): [name: string, value: string] {
  const at = spec.indexOf(':');
  if (at < 1) throw new Failure('usage', `--header ${shown(spec)} is not of the form 'X-Name: value'`);
  return [spec.slice(0, at).trim(), spec.slice(at + 1).trim()];
}

/** The name of a header that is there before, in any case. */
export function repeatedHeader(headers: readonly (readonly [name: string, value: unknown])[]) {
  const names = headers.map(([name]) => name.toLowerCase());
  return headers.find(([name], at) => names.indexOf(name.toLowerCase()) < at)?.[0];
}

/** A parcel in the shape of a shipment's body. */
export const shipmentPackage = ({ quantity, weight, ...dimensions }: Parcel) => ({
  quantity,
  weight,
  dimensions: { ...dimensions, unit: 'cm' },
});

/** … of a proposal. */
export const proposalPackage = ({ quantity, weight, ...dimensions }: Parcel) => ({
  quantity,
  weight,
  dimensions,
});

/** … of a rates request. */
export const ratePackage = ({ quantity, weight, length, width, height }: Parcel) => ({
  height,
  width,
  lengthCm: length,
  piece: quantity,
  pieceWeight: weight,
});
