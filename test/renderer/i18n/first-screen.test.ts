import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { FIRST_TEXTS } from '../../../scripts/vite/catalogues.ts'

// The first screen is drawn when only a part of the catalogue is there. A text of another part
// would appear as its code.

const SOURCES = join(import.meta.dirname, '../../../renderer/src')
const BEGINNINGS = ['app/main.tsx', 'features/dashboard/dashboard.tsx']

/** Files that a file imports, at once or later; screens of the router come with their texts. */
function importsOf(file: string, text: string): string[] {
  const withoutScreens = text.replace(/lazyScreen\(\s*\(\) => import\('[^']+'\)/g, '')
  const named = [...withoutScreens.matchAll(/(?:from |import\(|^import )'(\.[^']+)'/gm)]
  return named.map(([, path = '']) => join(dirname(file), path)).filter((path) => existsSync(path))
}

it('every text of the first screen is in the first part of the catalogue', () => {
  const files = new Map<string, string>()
  const open = BEGINNINGS.map((file) => join(SOURCES, file))
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file) || !/\.tsx?$/.test(file)) continue
    const text = readFileSync(file, 'utf8')
    files.set(file, text)
    open.push(...importsOf(file, text))
  }
  const elsewhere = [...files].flatMap(([file, text]) =>
    [...text.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/['"`](ui\.[a-z-]+\.[\w.-]*)/g)]
      .filter(([, code = '']) => !FIRST_TEXTS.some((start) => `${code}.`.startsWith(start)))
      .map(([, code]) => `${file.slice(SOURCES.length + 1)}: ${code}`),
  )
  expect(files.size).toBeGreaterThan(100)
  expect(elsewhere).toEqual([])
})

it('reads no schema of an operation that it imports: the build has only method and path of it', () => {
  const reading = globSync('**/*.{ts,tsx}', { cwd: SOURCES }).filter((file) =>
    /\.(body|query|params|reply)\.(safeParse|parse|shape|meta)\b/.test(
      readFileSync(join(SOURCES, file), 'utf8'),
    ),
  )
  expect(reading).toEqual([])
})
