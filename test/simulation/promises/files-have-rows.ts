import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Promised } from '../promise.ts'

/** No row is a lie and no file is nobody's: what was not acknowledged leaves nothing behind. */
export const filesHaveRows: Promised = {
  name: 'Every row has its file, and every file its row',
  when: 'day',
  check({ reader }) {
    const rows = reader.select<{ file: string; bytes: number; dataSetOffset: number }>(
      'select file, bytes, dataSetOffset from instances',
    )
    const files = imageFilesIn(reader.folder)
    const known = new Set(rows.map(({ file }) => file))
    return [
      ...rows.flatMap((row) => {
        const { length } = reader.bytesOf(row) ?? { length: -1 }
        return length === row.bytes - row.dataSetOffset
          ? []
          : [`the file of a row has ${length} bytes of a data set`]
      }),
      ...files.filter((file) => !known.has(file)).map((file) => `${file} has no row`),
    ]
  },
}

/** Paths below `images` of a data folder. */
export function imageFilesIn(dataFolder: string): string[] {
  const folder = join(dataFolder, 'images')
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.dcm'))
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}
