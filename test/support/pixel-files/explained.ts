import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCUMENT = join(import.meta.dirname, '../../../docs/VIEWER-FEATURES.md')

/** A row of the table in docs/VIEWER-FEATURES.md, section Pixels: what is drawn otherwise, and why. */
export interface Explained {
  /** Names of files in backticks, with `*` for any letters; `smoothed`: only as it opens. */
  readonly files: string
  readonly why: string
  covers(name: string, isSmooth: boolean): boolean
}

/** The rows of the table, by which a difference is no fault. */
export function explainedDifferences(): readonly Explained[] {
  const section = /^## Pixels$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(
    readFileSync(DOCUMENT, 'utf8'),
  )?.[1]
  const rows = [...(section ?? '').matchAll(/^\| (`.+?) \| .+? \| (.+?) \|$/gm)]
  return rows.map(([, files = '', why = '']) => {
    const patterns = [...files.matchAll(/`([^`]+)`( smoothed)?/g)].map(
      ([, pattern = '', smoothed]) => ({
        names: new RegExp(`^${pattern.replaceAll('*', '.*')}$`),
        isSmoothOnly: smoothed !== undefined,
      }),
    )
    return {
      files,
      why,
      covers: (name, isSmooth) =>
        patterns.some(({ names, isSmoothOnly }) => names.test(name) && (isSmooth || !isSmoothOnly)),
    }
  })
}
