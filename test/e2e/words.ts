import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pseudoText } from '../../renderer/src/i18n/pseudo.ts'

/** A language of the window, and the one that shows what is not in the words. */
export type Spoken = 'en' | 'es' | 'pseudo'

interface Pair {
  readonly en: string
  readonly es: string
}

const source = join(import.meta.dirname, '../../renderer/src')
const all = readdirSync(source, { recursive: true, encoding: 'utf8' })
/** Those with an English one beside them; the sentences of the gateway have none. */
const files = all.filter(
  (name) => name.endsWith('.es.ts') && all.includes(name.replace('.es.ts', '.ts')),
)

let read: Promise<readonly Pair[]> | undefined
/** Every text of the window that is no function, in both languages. */
export function allWords(): Promise<readonly Pair[]> {
  read ??= Promise.all(files.map(pairsOf)).then((pairs) => pairs.flat())
  return read
}

async function pairsOf(file: string): Promise<Pair[]> {
  const load = async (name: string): Promise<Record<string, unknown>> =>
    import(pathToFileURL(join(source, name)).href)
  const spanish = await load(file)
  const english = await load(file.replace('.es.ts', '.ts'))
  const es = Object.values(spanish).find((one) => typeof one === 'object')
  // What is exported in English is of the browser's language, which outside a browser is English.
  const trees = Object.values(english).filter((one) => typeof one === 'object')
  return trees.flatMap((tree) => [...pairs(tree, es)])
}

function* pairs(en: unknown, es: unknown): Generator<Pair> {
  if (typeof en === 'string' && typeof es === 'string') yield { en, es }
  else if (typeof en === 'object' && en !== null && typeof es === 'object' && es !== null) {
    for (const [name, value] of Object.entries(en))
      yield* pairs(value, (es as Readonly<Record<string, unknown>>)[name])
  }
}

/** Names by which a test finds what it presses, in the language of the page, from the English. */
export async function speaker(language: Spoken): Promise<(english: string) => string> {
  if (language === 'en') return (english) => english
  if (language === 'pseudo') return pseudoText
  const words = new Map((await allWords()).map(({ en, es }) => [en, es]))
  return (english) => words.get(english) ?? english
}
