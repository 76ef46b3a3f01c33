// npm run clients: writes the generated parts of clients/ from docs/openapi.json.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { modelOf } from './model.ts'
import { clientTool, installClientPackages } from './packages.ts'
import { pythonEvents, pythonModels, pythonOperations } from './python.ts'
import { typescriptEvents, typescriptOperations } from './typescript.ts'

const root = join(import.meta.dirname, '../..')
const OPENAPI = join(root, 'docs/openapi.json')
const TYPESCRIPT = 'clients/typescript/src/generated'
const PYTHON = 'clients/python/src/isthmus_client'

/** The text of every generated file, by path within the repository. */
export function generatedFiles(): ReadonlyMap<string, string> {
  installClientPackages()
  const model = modelOf(JSON.parse(readFileSync(OPENAPI, 'utf8')))
  return new Map([
    [`${TYPESCRIPT}/types.gen.ts`, typescriptTypes()],
    [`${TYPESCRIPT}/operations.gen.ts`, typescriptOperations(model)],
    [`${TYPESCRIPT}/events.gen.ts`, typescriptEvents(model)],
    [`${PYTHON}/models.py`, pythonModels(model)],
    [`${PYTHON}/operations.py`, pythonOperations(model)],
    [`${PYTHON}/events.py`, pythonEvents(model)],
  ])
}

/** The types that @hey-api/openapi-ts makes of the document. */
function typescriptTypes(): string {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-client-'))
  try {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [
        clientTool('@hey-api/openapi-ts/bin/run.js'),
        ...['--input', OPENAPI, '--output', folder, '--plugins', '@hey-api/typescript'],
        ...['--no-log-file', '--logs', folder],
      ],
      { encoding: 'utf8', cwd: folder },
    )
    if (status !== 0) throw new Error(`@hey-api/openapi-ts failed:\n${stdout}${stderr}`)
    return readFileSync(join(folder, 'types.gen.ts'), 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main)
  for (const [path, text] of generatedFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    console.log(path)
  }
