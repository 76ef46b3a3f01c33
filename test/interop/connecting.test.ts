import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ControlRequest, sendCommand } from '#server/modules/control/control.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import { writeInstance } from '../support/instance-file.ts'
import { needs } from '../support/needs.ts'

const run = promisify(execFile)
const document = readFileSync(join(import.meta.dirname, '../../docs/CONNECTING.md'), 'utf8')

/** Each line of DCMTK in the document, with the output that the document shows. */
const LINES = [
  ...document.matchAll(/```sh\n((?:echoscu|findscu|storescu) .+)\n```\n\nIt prints `([^`]+)`/g),
].map(([, line = '', says = '']) => ({ line, says }))

const scratch = scratchFolder()
let started: StartedGateway
beforeAll(async () => {
  started = await startGateway({ overrides: { 'dimse.tlsPort': 0 } })
  const { path } = writeInstance(scratch.path)
  copyFileSync(path, join(scratch.path, 'image.dcm'))
  copyFileSync(join(started.folder, 'tls', 'dicom-cert.pem'), join(scratch.path, 'dicom-cert.pem'))
})
afterAll(async () => {
  await started[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** What the line prints against this gateway, in a folder that has the files it names. */
async function said(line: string): Promise<string> {
  const tlsPort = started.gateway.dimseTls?.split(':').at(-1) ?? ''
  const here = line
    .replace('192.168.1.20 11112', `127.0.0.1 ${started.dimsePort}`)
    .replace('192.168.1.20 2762', `127.0.0.1 ${tlsPort}`)
  // Without it DCMTK's tools wait 40 ms for Nagle's algorithm at every message.
  const options = {
    cwd: scratch.path,
    env: { ...process.env, TCP_NODELAY: '1' },
    encoding: 'latin1',
    timeout: 30_000,
  } as const
  const { stdout, stderr } = await run('sh', ['-c', here], options).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}

describe('docs/CONNECTING.md', () => {
  it('has a line for each thing to try', () => {
    expect(LINES.map(({ line }) => line.split(' ')[0])).toEqual([
      'echoscu',
      ...Array(3).fill('findscu'),
      'storescu',
      'findscu',
      'echoscu',
    ])
    expect(LINES).toHaveLength([...document.matchAll(/^(?:echoscu|findscu|storescu) /gm)].length)
  })

  it.for(LINES)('$line', async ({ line, says }, context) => {
    needs(context, 'dcmtk')
    expect(await said(line)).toContain(says)
  })

  it('says rightly where a caller that is refused is seen', async (context) => {
    needs(context, 'dcmtk')
    const { callers } = await started.call(dashboard.callers, {})
    expect(callers.map(({ aeTitle }) => aeTitle)).toEqual(
      expect.arrayContaining(['ANYBODY', 'NOBODY']),
    )
  })
})

it('the lines of a connection sheet work as they are printed', async (context) => {
  needs(context, 'dcmtk')
  const { ok, output } = await sendCommand(
    started.folder,
    ControlRequest.parse({ command: 'connection-sheet' }),
  )
  expect([ok, output]).toEqual([true, expect.stringContaining(` 127.0.0.1 ${started.dimsePort}`)])
  const lines = /```sh\n([\s\S]+?)\n```/.exec(output)?.[1]?.split('\n') ?? []
  const results = []
  for (const line of lines) results.push(await said(line))
  expect(results).toEqual([
    expect.stringContaining('Received Echo Response (Success)'),
    expect.stringContaining('Received Final Find Response (Success)'),
    expect.stringContaining('Received Store Response (Success)'),
  ])
})
