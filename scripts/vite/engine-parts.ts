import { join } from 'node:path'
import type { Plugin } from 'vite'

const STAND_INS: Readonly<Record<string, string>> = {
  dcmjs: join(import.meta.dirname, 'dcmjs-stand-in.ts'),
  '@kitware/vtk.js/IO/XML/XMLPolyDataReader.js': join(import.meta.dirname, 'reader-stand-in.ts'),
}
const PACKAGES = /node_modules\/@cornerstonejs\//

/**
 * Leaves out of the viewer's engine what it never runs, because all of it would be read and
 * evaluated before the first image:
 *
 * - `dcmjs`, whose logger and constants are all that Cornerstone 5.14 needs here: the gateway reads
 *   the files;
 * - vtk's reader of surfaces in XML, and its drawing by WebGPU, which is chosen nowhere;
 * - what a namespace has and nobody uses: taken apart by a pattern, it would be kept whole.
 */
export const engineParts = (): Plugin => ({
  name: 'engine-parts',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^(dcmjs|@kitware\/vtk\.js\/IO\/XML\/XMLPolyDataReader\.js)$/ },
    handler: (source, importer) =>
      importer !== undefined && PACKAGES.test(importer) ? STAND_INS[source] : null,
  },
  transform: {
    filter: {
      id: /@kitware\/vtk\.js\/Rendering\/(Profiles|Misc)\/\w+\.js$|@cornerstonejs\/core\/dist\/esm\/(utilities\/\w+|metaData)\.js$/,
      code: /\/WebGPU\/|@cornerstonejs\/metadata/,
    },
    handler: (code) => ({ code: withMembers(withoutWebGpu(code)), map: null }),
  },
})

const withoutWebGpu = (code: string): string =>
  code.replaceAll(/^import "\.\.\/WebGPU\/[^"]+";$/gm, '')

/** `const { a, b } = utilities` as `const a = utilities.a, b = utilities.b`. */
const withMembers = (code: string): string =>
  code.replaceAll(
    /const \{ ([\w, ]+?),? \} = (utilities|metaData);/g,
    (_, names: string, from: string) =>
      `const ${names
        .split(', ')
        .map((name) => `${name} = ${from}.${name}`)
        .join(', ')};`,
  )
