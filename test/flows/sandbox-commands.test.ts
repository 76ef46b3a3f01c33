import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openPartnerSimulator } from '#electron/simulator/partner.ts'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import type { ConformanceReport } from '#server/modules/sandbox/conformance/conformance.ts'
import { isthmus, serving } from '../support/command-line.ts'
import { webhookSecret } from '../support/gateway.ts'
import { tempFolder } from '../support/temp-store.ts'

// The commands of the sandbox and the conformance run, in processes of their own (docs/SANDBOX.md).

/** A simulated partner whose worklist has no invalid rows, and a file with its secret. */
async function openPartner(folder: string) {
  const secret = webhookSecret()
  const secretFile = join(folder, 'secret')
  writeFileSync(secretFile, secret, { mode: 0o600 })
  const worklist = (day: string) => worklistDay(day, { exams: 4 })
  const partner = await openPartnerSimulator({ port: 0, secret, worklist, clock: Date.now })
  return { partner, secretFile, [Symbol.asyncDispose]: () => partner[Symbol.asyncDispose]() }
}

describe('the commands of the sandbox', { timeout: 180_000 }, () => {
  it('perform an exam, sign, send and advance with a key made before the gateway started', async () => {
    using temp = tempFolder()
    const { folder } = temp
    const keyFile = join(folder, 'test-key')
    const made = await isthmus(['sandbox', 'key', '--data', folder, '--description', 'Cloud RIS'])
    expect(made.stdout.trim()).toMatch(/^sk_test_[0-9a-f]{32}$/)
    writeFileSync(keyFile, made.stdout, { mode: 0o600 })
    await using gateway = await serving(folder)
    const run = (...args: string[]) =>
      isthmus(['sandbox', ...args, '--url', gateway.http, '--key-file', keyFile])

    expect((await run('status')).stdout).toContain('Studies: 0.')
    const exam = await run('exam')
    expect(exam.stdout).toMatch(/^The device received \d+ exams and sent 12 images/)
    const studyId = /Study in the scribe area: (stu_[0-9a-f]{32})/.exec(exam.stdout)?.[1] ?? ''
    const signed = await run('sign-report', '--study', studyId)
    expect(signed.stdout).toContain('delivered after one attempt')

    await using own = await openPartner(folder)
    const { partner, secretFile } = own
    const set = await isthmus([
      ...['sandbox', 'webhook', '--data', folder, '--url', partner.url],
      ...['--secret', secretFile, '--plaintext'],
    ])
    expect(set.stdout).toContain(partner.url)
    const sent = await run('event', 'modality_worklist.requested')
    expect(sent.stdout).toContain('accepted, 200')
    const dry = await run('event', 'report.delivered', '--dry-run')
    expect(dry.stdout).toContain(`POST ${partner.url}`)
    expect(dry.stdout).toContain('webhook-signature: v1,')
    expect(partner.requestsOf['report.delivered']).toBeUndefined()

    partner.setSequence('report.delivered', ['error'])
    expect((await run('sign-report')).stdout).toContain('waiting after one attempt')
    expect((await run('advance')).stdout).toContain('delivered after 2 attempts')
    expect((await run('advance')).stdout).toContain('Nothing is waiting.')
    const emptied = await isthmus(['sandbox', 'empty', '--data', folder])
    expect(emptied.stdout).toContain('The sandbox is empty.')
    expect((await run('status')).stdout).toContain('Studies: 0.')
    const unknown = await run('event', 'study.renamed')
    expect([unknown.exitCode, unknown.stderr.includes('report.delivered')]).toEqual([2, true])
    // The folder of the sandbox gets no ports of its own.
    const alone = await isthmus(['serve', '--data', join(folder, 'sandbox')])
    expect(alone.exitCode).not.toBe(0)
  })
})

describe('conformance', { timeout: 120_000 }, () => {
  it('gives the simulated partner every point, and exits by the share of points', async () => {
    using temp = tempFolder()
    await using own = await openPartner(temp.folder)
    const { partner, secretFile } = own
    const args = ['conformance', '--url', partner.url, '--secret-file', secretFile]
    const good = await isthmus([...args, '--json'])
    const report = JSON.parse(good.stdout) as ConformanceReport
    expect(report.checks.filter(({ earned, points }) => earned < points)).toEqual([])
    expect([report.earned, good.exitCode]).toEqual([100, 0])

    const wrong = join(temp.folder, 'wrong')
    writeFileSync(wrong, webhookSecret(), { mode: 0o600 })
    const bad = ['conformance', '--url', partner.url, '--secret-file', wrong]
    const refused = await isthmus([...bad, '--events', 'report.delivered'])
    expect(refused.exitCode).toBe(1)
    expect(refused.stdout).toContain('Remedy:   A correct event has to be accepted first.')
    expect(refused.stdout).not.toContain('whsec_')
    const share = await isthmus([...bad, '--events', 'report.delivered', '--at-least', '0'])
    expect(share.exitCode).toBe(0)
  })
})
