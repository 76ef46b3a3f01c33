import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { generatedFiles } from '../../../scripts/clients/generate.ts'
import {
  clientTool,
  installClientPackages,
  TYPESCRIPT_CLIENT,
} from '../../../scripts/clients/packages.ts'
import { tempFolder } from '../../support/temp-store.ts'

// docs/openapi.json, as those use it who generate a client from it.

const root = join(import.meta.dirname, '../../..')
const OPENAPI = join(root, 'docs/openapi.json')

const MINUTES = 60_000
beforeAll(() => installClientPackages(), 5 * MINUTES)

/** Its output; empty if it found nothing to complain about. */
function run(tool: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [clientTool(tool), ...args], {
    cwd: TYPESCRIPT_CLIENT,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  return status === 0 ? '' : `${status}\n${stdout}\n${stderr}`
}

describe('the OpenAPI document', { timeout: 2 * MINUTES }, () => {
  it('is what the clients in clients/ were generated from', () => {
    for (const [path, text] of generatedFiles())
      expect(readFileSync(join(root, path), 'utf8') === text, `${path}: npm run clients`).toBe(true)
  })

  it('passes the strictest rules of Redocly', () => {
    expect(run('@redocly/cli/bin/cli.js', 'lint', OPENAPI, '--extends', 'recommended-strict')).toBe(
      '',
    )
  })

  it('passes Spectral without a hint', () => {
    using folder = tempFolder()
    const rules = join(folder.folder, 'rules.yaml')
    writeFileSync(rules, 'extends: ["spectral:oas"]\n')
    const args = ['lint', OPENAPI, '--ruleset', rules, '--fail-severity', 'hint']
    expect(run('@stoplight/spectral-cli/dist/index.js', ...args)).toBe('')
  })

  it('becomes types by openapi-typescript that compile', () => {
    using folder = tempFolder()
    const types = join(folder.folder, 'types.ts')
    expect(run('openapi-typescript/bin/cli.js', OPENAPI, '--output', types)).toBe('')
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: [],
    }
    const project = join(folder.folder, 'tsconfig.json')
    writeFileSync(project, JSON.stringify({ compilerOptions, files: [types] }))
    expect(run('typescript/bin/tsc', '--project', project)).toBe('')
  })
})
