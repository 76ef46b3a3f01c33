import { mkdirSync, rmSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, join } from 'node:path'
import { build } from 'vite'
import { onTestFinished } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
// Below the project, so that the bundle finds the packages that stay outside it.
const CACHE = join(ROOT, 'node_modules/.cache/test-children')

/**
 * Bundles a program of test/support into one JavaScript file, which is removed after the test, and
 * returns its path. A child process that starts from the bundle needs a third of the processor
 * time that one needs which starts from TypeScript sources.
 */
export async function bundledChild(name: string): Promise<string> {
  const outDir = join(CACHE, `${basename(name, '.ts')}-${process.pid}`)
  mkdirSync(outDir, { recursive: true })
  onTestFinished(() => rmSync(outDir, { recursive: true, force: true }))
  await build({
    configFile: false,
    logLevel: 'warn',
    root: ROOT,
    ssr: { noExternal: true },
    build: {
      ssr: join(ROOT, 'test/support', name),
      outDir,
      emptyOutDir: true,
      minify: false,
      target: 'node24',
      rolldownOptions: {
        external: [
          ...builtinModules.flatMap((module) => [module, `node:${module}`]),
          /^(better-sqlite3|dcmjs|dicom-dimse-native)(\/|$)/,
        ],
        output: { format: 'es', entryFileNames: 'child.js' },
      },
    },
  })
  return join(outDir, 'child.js')
}
