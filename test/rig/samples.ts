// Samples of a type of src, made from its declaration: each kind of a union, each choice, what is optional and what is missing.
import { resolve } from 'node:path';
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync';

/** What stands for any text, by the name of its field. */
export type Sampled = (field: string) => string;

/** Samples of the exported type of a file, several for each alternative; `named` are those of types and fields that are known by name. */
export function samplesOf(
  file: string,
  type: string,
  text: Sampled,
  named: Readonly<Record<string, readonly unknown[]>>,
): unknown[] {
  const config = resolve('test/say/tsconfig.json');
  const api = new API({ cwd: resolve('.') });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    const source = project?.program.getSourceFile(resolve(file));
    const module = source && project?.checker.getSymbolAtLocation(source);
    const symbol = module && project?.checker.getExportsOfModule(module).find(({ name }) => name === type);
    if (!project || !symbol) throw new Error(`${file} has no type ${type}`);
    return new Sampler(project.checker, text, named).of(project.checker.getDeclaredTypeOfSymbol(symbol), '');
  } finally {
    api.close();
  }
}

class Sampler {
  constructor(
    readonly checker: Checker,
    readonly text: Sampled,
    readonly named: Readonly<Record<string, readonly unknown[]>>,
  ) {}

  of(type: Type, field: string): unknown[] {
    const name = type.getAliasSymbol()?.name ?? type.getSymbol()?.name;
    if (type.isLiteralType()) return [type.value];
    if (type.isUnionType()) return type.getTypes().flatMap(part => this.of(part, field));
    for (const known of [name ?? '', field])
      if (Object.hasOwn(this.named, known)) return [...(this.named[known] ?? [])];
    if (type.flags & TypeFlags.String) return [this.text(field)];
    if (type.flags & TypeFlags.Number) return [1, 2];
    if (type.flags & TypeFlags.Undefined) return [undefined];
    if (type.flags & TypeFlags.Null) return [null];
    if (type.flags & TypeFlags.Unknown) return [this.text(field), 1, null];
    if (type.isTemplateLiteralType()) return [this.text(field)];
    if (this.checker.isTupleType(type) && type.isTypeReference())
      return [this.checker.getTypeArguments(type).map(element => this.of(element, field)[0])];
    if (this.checker.isArrayType(type) && type.isTypeReference()) {
      const [element] = this.checker.getTypeArguments(type);
      const elements = element ? this.of(element, field) : [];
      return [elements.slice(0, 1), elements, []];
    }
    if (type.isObjectType() || type.isIntersectionType()) return this.ofObject(type, field);
    throw new Error(`${field} has a type without samples: ${this.checker.typeToString(type)}`);
  }

  /** As many objects as its field with the most samples has: the first has the first of each field, and so on. */
  ofObject(type: Type, field: string): unknown[] {
    const fields = this.checker.getPropertiesOfType(type).map(symbol => {
      const ofField = this.checker.getTypeOfSymbol(symbol);
      return { name: symbol.name, samples: ofField ? this.of(ofField, symbol.name) : [] };
    });
    const [index] = this.checker.getIndexInfosOfType(type);
    if (index && fields.length === 0) return this.of(index.valueType, field).map(value => ({ id: value }));
    const count = Math.max(1, ...fields.map(({ samples }) => samples.length));
    return Array.from({ length: count }, (_, at) =>
      Object.fromEntries(
        fields.flatMap(({ name, samples }) => {
          const value = samples[at % samples.length];
          return value === undefined ? [] : [[name, value]];
        }),
      ),
    );
  }
}
