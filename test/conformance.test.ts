import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { basicWorklist } from '#gateway/dimse/basic-worklist.ts'
import { IDENTIFIER_LIMITS } from '#gateway/dimse/data-set.ts'
import { HEADER_LIMITS } from '#gateway/dimse/header-reader.ts'
import { DEFAULT_LIMITS } from '#gateway/dimse/limits.ts'
import { mpps } from '#gateway/dimse/mpps.ts'
import { REQUESTOR_LIMITS } from '#gateway/dimse/requestor.ts'
import { categoryOf, STATUS } from '#gateway/dimse/status.ts'
import { storage } from '#gateway/dimse/storage.ts'
import { storageCommitment } from '#gateway/dimse/storage-commitment.ts'
import { isStorageClass } from '#gateway/dimse/storage-uids.ts'
import { secureContextOf } from '#gateway/dimse/tls-listener.ts'
import { IMPLEMENTATION, nameOfUid, SOP_CLASS } from '#gateway/dimse/uids.ts'
import { verification } from '#gateway/dimse/verification.ts'
import { backOffMs, LONGEST_BACK_OFF_MS } from '#gateway/forwarding/back-off.ts'
import { verdictOn } from '#gateway/forwarding/verdict.ts'
import { NATIVE_LIMITS } from '#gateway/scu/native.ts'
import { MOST_STUDIES } from '#gateway/scu/prior-study.ts'
import { CONSOLE_PROFILES } from '#gateway/worklist/console-rules.ts'
import { FAULTS } from '#gateway/worklist/faults.ts'
import { CHARACTER_SETS, DEVICE_PROFILES } from '#shared/contract/devices.ts'
import { QUARANTINE_REASONS } from '#shared/contract/images.ts'
import { SETTINGS } from '#shared/contract/settings.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const statement = read('docs/CONFORMANCE.md')

/** Rows of the table below a heading (its beginning) whose first column is called so. */
function tableOf(heading: string, column: string): string[][] {
  const section = statement.split(/^(?=##+ )/m).find((text) => text.replace(/^#+ /, '').startsWith(heading)) ?? ''
  const tables = section.match(/(?:^\|.*\|\n)+/gm) ?? []
  const table = tables.find((text) => text.startsWith(`| ${column} |`))
  if (!table) throw new Error(`${heading} has no table of ${column}`)
  const [, , ...rows] = table.trimEnd().split('\n')
  return rows.map((row) => row.slice(2, -2).split(' | '))
}

const never = () => Promise.reject(new Error('not asked'))
const SERVICES = {
  verification: verification(),
  worklist: basicWorklist({ find: never as never }),
  storage: storage({ store: never }, { acceptsUnknown: () => false }),
  steps: mpps({ create: never, set: never }),
  commitment: storageCommitment({ action: never }, { isOn: () => true }),
}
const CT_IMAGE = '1.2.840.10008.5.1.4.1.1.2'
const offers = (uid: string) => Object.values(SERVICES).some(({ sopClasses, offers }) => sopClasses.includes(uid) || offers?.(uid))

describe('the conformance statement names', () => {
  it('the SOP classes of the code, each in its roles', () => {
    const scu = readdirSync(new URL('../electron/gateway/scu', import.meta.url)).flatMap((file) =>
      [...read(`electron/gateway/scu/${file}`).matchAll(/SOP_CLASS\.(\w+)/g)].map(([, name]) => SOP_CLASS[name as keyof typeof SOP_CLASS]),
    )
    // Its results go out by an association of ours, in which we are the SCP.
    const called = new Set<string>(scu.filter((uid) => uid !== SOP_CLASS.storageCommitmentPushModel))
    const stated = tableOf('1 Overview', 'SOP class').map(([, uid = '', roles = '']) => {
      const own = uid.endsWith('.*') ? CT_IMAGE : uid
      expect(roles.startsWith('SCP'), uid).toBe(offers(own))
      if (own !== CT_IMAGE) expect(roles.includes('SCU'), uid).toBe(called.has(own))
      return own
    })
    const known = Object.values(SOP_CLASS).filter((uid) => offers(uid) || called.has(uid))
    expect(stated.sort()).toEqual([...known, CT_IMAGE].sort())
    expect(nameOfUid(SOP_CLASS.modalityWorklistFind)).toBe('Modality Worklist')
    expect(statement).toContain(`${IMPLEMENTATION.classUid} / ${IMPLEMENTATION.versionName}`)
  })

  it('the storage classes that are not below the one root', () => {
    const [, named = ''] = /^\*\*Classes\.\*\* ([\s\S]*?)\. Classes that/m.exec(statement) ?? []
    const [root, ...others] = named.match(/\d[\d.]*\d/g) ?? []
    expect(isStorageClass(`${root}.2`, false)).toBe(true)
    expect(others.map((uid) => [uid, isStorageClass(uid, false)])).toEqual(others.map((uid) => [uid, true]))
    expect(others).toHaveLength(5)
  })

  it('the transfer syntaxes of each service, in its order', () => {
    const stated = tableOf('2.2 Transfer syntaxes', 'transfer syntax')
    const of = (service: string) => stated.filter(([, , services]) => services?.includes(service)).map(([, uid]) => uid)
    expect(of('worklist')).toEqual(SERVICES.worklist.transferSyntaxes)
    expect(of('performed steps')).toEqual(SERVICES.steps.transferSyntaxes)
    expect(of('commitment')).toEqual(SERVICES.commitment.transferSyntaxes)
    const ofStorage = tableOf('2.4 Storage', 'transfer syntax').flatMap(([, uids = '']) => {
      const [first = '', ...more] = uids.split(' ')
      return [first, ...more.map((end) => `1.2.840.10008.1.2.4${end}`)]
    })
    expect(ofStorage).toEqual(SERVICES.storage.transferSyntaxes)
  })

  it('the limits, ciphers and character sets', () => {
    const numbers = (text: string) => text.match(/\d+/g) ?? []
    const kib = (bytes: number) => `${bytes / 1024} KiB`
    const mib = (bytes: number) => `${bytes / 1024 ** 2} MiB`
    const { associations, associationsPerCaller, artimSeconds, idleSeconds, maxPduLength } = DEFAULT_LIMITS
    const policies = new Map(tableOf('2.1 Association policies', 'item').map(([item = '', value = '']) => [item, value]))
    expect(policies.get('maximum PDU length announced')).toMatch(`${maxPduLength};`)
    expect(policies.get('associations at once')).toMatch(`${associations}, of one device ${associationsPerCaller} `)
    expect(policies.get('ARTIM timer')).toMatch(`${artimSeconds} s; silence within an association: ${idleSeconds} s`)
    expect(Object.fromEntries(tableOf('5 Limits', 'what'))).toMatchObject({
      'identifier of a query': expect.stringContaining(
        `${kib(DEFAULT_LIMITS.identifierBytes)}, ${IDENTIFIER_LIMITS.elements} elements, ${IDENTIFIER_LIMITS.depth} levels`,
      ),
      'data set of MPPS and commitment': mib(DEFAULT_LIMITS.normalizedBytes),
      'header of a deflated data set': `ends within ${mib(HEADER_LIMITS.deflatedBytes)}, ${mib(HEADER_LIMITS.inflatedBytes)} inflated`,
      "value that is read of an image's header": expect.stringContaining(kib(HEADER_LIMITS.valueBytes)),
      'requests sent ahead on one association': expect.stringContaining(`${DEFAULT_LIMITS.queuedRequests};`),
      'peer that takes no data': `${DEFAULT_LIMITS.stallSeconds} s`,
      'connections without an association': `${DEFAULT_LIMITS.pendingConnections}`,
      'calling out': expect.stringMatching(
        `^${REQUESTOR_LIMITS.connectSeconds} s to connect, ${REQUESTOR_LIMITS.associateSeconds} s for the association, ${REQUESTOR_LIMITS.responseSeconds} s `,
      ),
      'dicom-dimse-native': `${NATIVE_LIMITS.processes} processes at once; ${NATIVE_LIMITS.echoSeconds} s for an echo, ${NATIVE_LIMITS.findSeconds} s for a query, ${NATIVE_LIMITS.transcodeSeconds} s for a transcoding`,
    })
    expect(statement).toContain(`TLS on port ${SETTINGS['dimse.tlsPort'].initial}\n`)
    const { ciphers, minVersion } = secureContextOf({ key: '', cert: '' })
    expect(minVersion).toBe('TLSv1.2')
    expect(tableOf('4 Security', 'version').flatMap(([, suites = '']) => suites.split(', '))).toEqual(ciphers.split(':'))

    const answers = /Answers: per device one of ([^.]+)\./.exec(statement.replaceAll('\n', ' '))?.[1] ?? ''
    expect(
      numbers(answers)
        .filter((number) => number !== '2022')
        .sort(),
    ).toEqual(CHARACTER_SETS.flatMap((set) => numbers(set.replace('2022', ''))).sort())
  })

  it('the profiles of consoles with their sources, and the reasons of quarantine', () => {
    const stated = tableOf('2.3 Modality Worklist', 'profile')
    expect(stated.map(([profile]) => profile)).toEqual([...DEVICE_PROFILES])
    for (const [profile = '', rules] of stated) expect(rules).toContain(CONSOLE_PROFILES[profile as 'ge'].source)
    expect(tableOf('2.4 Storage', 'reason').map(([reason]) => reason)).toEqual([...QUARANTINE_REASONS])
  })

  it('what follows an answer of a destination', () => {
    const kinds = ['sent', 'pausing', 'refused']
    const rows = tableOf('2.7 As SCU', 'answer of the destination')
    const codesOf = (row: string[] | undefined) => row?.[0]?.match(/\b[0-9A-F]{1,4}x{0,3}(?=[, ]|$)/g) ?? []
    for (const [at, kind] of kinds.entries()) {
      const codes = codesOf(rows[at]).filter((code) => code.length === 4)
      expect(codes.length).toBeGreaterThan(0)
      for (const code of codes)
        for (const digit of ['0', 'F'])
          expect([code, verdictOn(Number.parseInt(code.replaceAll('x', digit), 16)).kind]).toEqual([code, kind])
    }
    const named = new Set(rows.slice(0, 3).flatMap(codesOf))
    const others = Array.from({ length: 0x1_00_00 }, (_, status) => status).filter((status) => {
      const code = status.toString(16).toUpperCase().padStart(4, '0')
      const isNamed = [code, `${code.slice(0, 2)}xx`, `${code.slice(0, 1)}xxx`].some((form) => named.has(form))
      return !isNamed && categoryOf(status) === 'failure'
    })
    expect([...new Set(others.map((status) => verdictOn(status).kind))]).toEqual(['later'])
    expect(rows[3]?.[1]).toContain(
      `${[1, 2, 3].map((attempt) => backOffMs(attempt) / 60_000).join(', ')} … ${LONGEST_BACK_OFF_MS / 60_000} minutes`,
    )
    expect(tableOf('2.7 As SCU', 'service').find(([service]) => service === 'C-FIND')?.[2]).toContain(`at most ${MOST_STUDIES} studies`)
  })
})

describe('the conformance statement gives each status a service can send, in the words of the table:', () => {
  /** Numbers of four hex digits in the code of a service, and those that every service has of the operation queue. */
  const named = (...files: string[]) =>
    files.flatMap((file) =>
      [...read(`electron/gateway/${file}`).matchAll(/\b0x([0-9a-f]{4})\b/g)].map(([, code]) => Number.parseInt(code ?? '', 16)),
    )
  const OF_ALL = [0x0000, 0x0122, 0x0211]

  function expectStated(heading: string, sent: readonly number[]): void {
    const rows = tableOf(heading, 'status')
    for (const [code = '', meaning] of rows) expect([code, meaning]).toEqual([code, STATUS[Number.parseInt(code, 16)]?.meaning])
    const stated = rows.map(([code = '']) => Number.parseInt(code, 16))
    expect(stated.toSorted((a, b) => a - b)).toEqual([...new Set([...sent, ...OF_ALL])].sort((a, b) => a - b))
  }

  it('the worklist', () => {
    expectStated('2.3 Modality Worklist', [...Object.values(FAULTS).map(({ status }) => status), 0xa900, 0xc003, 0xfe00])
  })

  it('storage', () => expectStated('2.4 Storage', named('intake/receive.ts')))

  it('performed steps, with their error id', () => {
    const [errorId, ...others] = named('intake/performed-step.ts', 'intake/performed-data.ts', 'dimse/normalized.ts').sort((a, b) => b - a)
    expectStated('2.5 Modality Performed Procedure Step', others)
    expect(statement).toContain(`with Error ID ${errorId?.toString(16).toUpperCase()}`)
  })

  it('storage commitment, with its reasons of failure', () => {
    const reasons = tableOf('2.6 Storage Commitment', 'FailureReason (0008,1197)').map(([code = '']) => Number.parseInt(code, 16))
    const found = named('intake/commitment.ts', 'intake/performed-data.ts', 'dimse/normalized.ts')
    expect(reasons.every((reason) => found.includes(reason))).toBe(true)
    expectStated(
      '2.6 Storage Commitment',
      found.filter((code) => !reasons.includes(code)),
    )
  })
})
