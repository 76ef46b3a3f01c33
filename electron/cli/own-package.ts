import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The package this code belongs to: from the sources, from dist/ and from inside a packaged app.
 */
export function ownPackage(from = import.meta.dirname): {
  readonly folder: string
  readonly version: string
} {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const found = readPackage(folder)
    if (found?.name === 'isthmus') return { folder, version: found.version }
  }
  throw new Error('The package of Isthmus was not found above its own code.')
}

function readPackage(folder: string): { name: string; version: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string
      version: string
    }
  } catch {
    return undefined
  }
}
