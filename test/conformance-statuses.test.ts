import { describe, expect, it } from 'vitest'
import { categoryOf, STATUS } from '#server/dicom/dimse/status.ts'
import { verdictOf } from '#server/modules/forwarding/verdict.ts'
import { FAULTS } from '#server/modules/worklist/faults.ts'
import { englishText } from '#shared/messages/english.ts'
import { codeOf, SCENES } from '../scripts/docs/rejections.ts'
import { errorCommentsIn, hexNumbersIn } from '../scripts/docs/source.ts'
import { SAID_IN, SENT, type Service, statusTable, verdictTable } from '../scripts/docs/statuses.ts'

/** Every service has these of the operation queue. */
const OF_ALL = [0x0000, 0x0122, 0x0211]
const stated = (service: Service) =>
  SENT[service].map(([status]) => status).toSorted((a, b) => a - b)
const sorted = (statuses: readonly number[]) =>
  [...new Set([...statuses, ...OF_ALL])].sort((a, b) => a - b)

describe('the conformance statement gives each status that a service can send:', () => {
  it('the worklist', () => {
    expect(stated('worklist')).toEqual(
      sorted([...Object.values(FAULTS).map(({ status }) => status), 0xa900, 0xc003, 0xfe00]),
    )
  })

  it('storage', () =>
    expect(stated('storage')).toEqual(
      sorted(
        hexNumbersIn('modules/images/image-receiver.ts', 'modules/images/store-request-check.ts'),
      ),
    ))

  it('performed steps, and their error id', () => {
    const [errorId, ...others] = hexNumbersIn(
      'modules/images/performed-step-scp.ts',
      'modules/procedure-steps/performed-data.ts',
      'dicom/scp/service-classes.ts',
    ).sort((a, b) => b - a)
    expect(stated('steps')).toEqual(sorted(others))
    expect(statusTable('steps')).toContain(`with Error ID ${errorId?.toString(16).toUpperCase()}`)
  })

  it('storage commitment, without the reasons of single instances', () => {
    const reasons = [0x0112, 0x0119]
    const found = hexNumbersIn(
      'modules/commitment/commitment.ts',
      'modules/commitment/commitment-request.ts',
      'modules/procedure-steps/performed-data.ts',
      'dicom/scp/service-classes.ts',
    )
    expect(reasons.every((reason) => found.includes(reason))).toBe(true)
    expect(stated('commitment')).toEqual(sorted(found.filter((code) => !reasons.includes(code))))
  })
})

describe('the conformance statement gives each status of Query/Retrieve:', () => {
  it('queries', () => {
    const found = hexNumbersIn(...SAID_IN.query.filter((file) => !file.includes('/dimse/')))
    const known: readonly number[] = stated('query')
    expect(
      found.filter((code) => !known.includes(code) && ![0xff00, 0xffff].includes(code)),
    ).toEqual([])
    expect(known).toEqual(expect.arrayContaining([0xa700, 0xa900, 0xc003, 0xfe00]))
  })

  it('retrievals', () => {
    const found = hexNumbersIn(...SAID_IN.retrieval.filter((file) => !file.includes('/dimse/')))
    const known: readonly number[] = stated('retrieval')
    expect(
      found.filter((code) => !known.includes(code) && ![0xff00, 0xffff].includes(code)),
    ).toEqual([])
    expect(known).toEqual(expect.arrayContaining([0xa701, 0xa702, 0xa801, 0xb000]))
  })
})

describe('an Error Comment', () => {
  it('is found in the code of its service, and is as long as an LO may be', () => {
    for (const [service, files] of Object.entries(SAID_IN)) {
      const found = errorCommentsIn(...files)
      expect([service, found.size > 0]).toEqual([service, true])
      for (const comments of found.values())
        for (const comment of comments)
          expect([comment, comment.length <= 64, /^[\x20-\x7e…]*$/.test(comment)]).toEqual([
            comment,
            true,
            true,
          ])
    }
    expect(statusTable('storage')).toContain('“Too little disk space”')
    expect(statusTable('worklist')).toContain('“Worklist not authorised for AE …: …”')
    expect(statusTable('worklist')).toContain('“Gateway internal error …”')
  })

  it('is of a status that the service is said to send', () => {
    for (const service of Object.keys(SENT) as Service[]) {
      const known: number[] = stated(service)
      const foreign = [...errorCommentsIn(...SAID_IN[service]).keys()].filter(
        (status) => !known.includes(status),
      )
      // The queue answers C003 where a service throws; the services of images and steps catch what
      // they throw.
      expect([
        service,
        foreign.filter(
          (status) =>
            status !== 0xc003 && !(!['worklist', 'query'].includes(service) && status === 0xa900),
        ),
      ]).toEqual([service, []])
    }
  })
})

it('every rejection is one of PS3.8 Table 9-21, and says what to do', () => {
  const codes = SCENES.map(({ meet }) => {
    const rejection = meet()
    return rejection ? codeOf(rejection) : 'none'
  })
  expect([...new Set(codes)].sort()).toEqual([
    '1/1/1',
    '1/1/2',
    '1/1/3',
    '1/1/7',
    '1/2/2',
    '2/3/1',
    '2/3/2',
  ])
  expect(SCENES.filter(({ remedy }) => remedy === '')).toEqual([])
})

it('what follows an answer of a destination is said of every status once', () => {
  const rows = verdictTable().split('\n').slice(2)
  const ranges = rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/\b([0-9A-F]{4})(?: to ([0-9A-F]{4}))?/g)].map(
      ([, from = '', to = from]) => ({
        from: Number.parseInt(from, 16),
        to: Number.parseInt(to, 16),
        row,
      }),
    ),
  )
  const others = rows.filter((row) => row.startsWith('| any other'))
  expect(others).toHaveLength(1)
  for (let status = 0; status <= 0xffff; status++) {
    const named = ranges.filter(({ from, to }) => status >= from && status <= to)
    const { reason } = verdictOf(status)
    const words = (reason ? englishText(reason) : '').replace(/ \(status [0-9A-F]{4}\)$/, '')
    const rowOf = named.length === 0 ? others : named.map(({ row }) => row)
    if (rowOf.length !== 1 || !rowOf[0]?.includes(`| ${words} |`))
      expect([status.toString(16), rowOf]).toEqual([words, 'one row'])
  }
  expect(categoryOf(0xb000)).toBe('warning')
  expect(STATUS[0xa700]?.category).toBe('failure')
})
