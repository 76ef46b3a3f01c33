import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLINIC_ROLES } from '#shared/contract/people.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { newUid, type StartedInterface, startInterface } from '../../support/interface.ts'

// What published clients of the service send beyond the description of the interface: nothing of it
// is accepted and dropped.

let stage: StartedInterface

beforeAll(async () => {
  stage = await startInterface()
})
afterAll(() => stage[Symbol.asyncDispose]())

const study = () => ({
  studyInstanceUid: newUid(),
  studyDescription: 'CT chest',
  severity: 'normal' as const,
})
const send = (call: 'POST' | 'PATCH', path: string, json: object) =>
  stage.keys.partner.send(`${call} ${path}` as `POST /${string}`, { json })

describe('fields of published clients', () => {
  it('procedure, studyDate and studyTime become the scan’s', async () => {
    const reportMetadata = {
      ...{ procedure: 'CT chest', studyDate: '2026-11-20', studyTime: '08:30:15.250' },
      ...{ mrn: 'MRN-1', age: null },
    }
    const made = await send('POST', '/v1/scribe/studies', { ...study(), reportMetadata })
    expect(made.json).toMatchObject({
      reportMetadata: {
        ...{ scanType: 'CT chest', scanDate: '2026-11-20', scanTime: '08:30', mrn: 'MRN-1' },
      },
    })
    const { studyId } = made.json as { studyId: string }
    const patched = await send('PATCH', `/v1/scribe/studies/${studyId}`, {
      reportMetadata: { procedure: 'CT abdomen', studyDate: null },
    })
    expect(Reflect.get(patched.json as object, 'reportMetadata')).toEqual({
      ...{ scanType: 'CT abdomen', scanTime: '08:30', mrn: 'MRN-1' },
    })
  })

  it('one field by two names with two values is refused by name', async () => {
    const body = { ...study(), reportMetadata: { procedure: 'CT', scanType: 'MR' } }
    const answer = await send('POST', '/v1/scribe/studies', body)
    expect([answer.status, answer.json]).toMatchObject([
      400,
      {
        errors: [
          {
            path: 'body.reportMetadata.procedure',
            message:
              'differs from scanType, which is the same field by another name: send one of them',
          },
        ],
      },
    ])
    const same = { ...study(), reportMetadata: { procedure: 'CT', scanType: 'CT' } }
    expect((await send('POST', '/v1/scribe/studies', same)).status).toBe(201)
  })

  it('clinicalHistory and modality are kept, answered, changed and cleared', async () => {
    const made = await send('POST', '/v1/scribe/studies', {
      ...study(),
      ...{ reportMetadata: {}, clinicalHistory: 'Smoker until 2010.', modality: 'CT' },
    })
    const { studyId } = made.json as { studyId: string }
    expect(made.json).toMatchObject({ clinicalHistory: 'Smoker until 2010.', modality: 'CT' })
    const path = `/v1/scribe/studies/${studyId}`
    const changed = await send('PATCH', path, { clinicalHistory: null, modality: 'MR' })
    expect(changed.json).toMatchObject({ clinicalHistory: null, modality: 'MR' })
    expect(
      await stage.keys.partner.call(scribe.read, { params: { studyId: studyId as never } }),
    ).toMatchObject({ modality: 'MR' })
  })

  it('null in an optional field of a new record is the same as no field', async () => {
    const calls: [string, object][] = [
      ['/v1/express', { expressCustomerName: 'North', metadata: null }],
      ['/v1/orgs', { orgName: 'North', metadata: null }],
      [
        '/v1/viewer/studies',
        { ...study(), assignedTo: null, expressCustomerId: null, metadata: null },
      ],
      [
        '/v1/scribe/studies',
        {
          ...study(),
          reportMetadata: { height: null, sex: null, procedure: null },
          ...{ assignedTo: null, expressCustomerId: null, metadata: null },
          ...{ priorReportTexts: null, priorStudyIds: null, technologistNotes: null },
          ...{ clinicalHistory: null, externalPatientId: null, modality: null },
          priorReports: [{ reportText: 'No nodule.', modality: null, studyDate: null }],
        },
      ],
      [
        '/v1/scribe/users',
        {
          ...{ email: 'null@clinic.example', firstName: 'Nora', lastName: 'Null' },
          ...{ level: 'member', clinicRole: 'Scribe', canManageStudies: false },
          ...{ hasDashboardAccess: true, canCreateReports: false, npiNumber: null },
          ...{ middleName: null, phoneNumber: null, suffix1: null, suffix2: null },
        },
      ],
    ]
    for (const [path, body] of calls) {
      const answer = await send('POST', path, body)
      expect([path, answer.status, answer.json]).toEqual([path, 201, expect.any(Object)])
    }
  })

  it('studyType finds the standard studies, and no external ones', async () => {
    const sizes = await Promise.all(
      ['standard', 'external', ''].map(async (studyType) => {
        const answer = await stage.keys.partner.send(
          `GET /v1/scribe/studies?studyType=${studyType}`,
        )
        return (answer.json as { studies: unknown[] }).studies.length
      }),
    )
    expect(sizes).toEqual([sizes[2], 0, expect.toSatisfy((size: number) => size > 0)])
  })

  it('operations that this gateway does not have are refused with what to use instead', async () => {
    const calls = [
      ...['GET', 'POST'].map((method) => [
        `${method} /v1/scribe/clinicalReferences`,
        'facilityName',
      ]),
      ...['GET', 'PATCH'].map((method) => [
        `${method} /v1/scribe/clinicalReferences/ref_${'0'.repeat(32)}`,
        'facilityName',
      ]),
      [`POST /v1/scribe/clinicalReferences/ref_${'0'.repeat(32)}/delete`, 'facilityName'],
      ['GET /v1/scribe/clinicalReferences/byExternalReferenceId/1', 'facilityName'],
      ['POST /v1/scribe/studies/external', 'priorReports'],
      ['POST /v1/scribe/studies/external/delete', 'priorReports'],
      ['POST /v1/scribe/studies/external/reports', 'priorReports'],
      ['GET /v1/scribe/studies/external/reports', 'priorReports'],
      [`GET /v1/scribe/studies/external/reports/ext_${'0'.repeat(32)}`, 'priorReports'],
    ] as [`GET /${string}`, string][]
    for (const [call, instead] of calls) {
      const answer = await stage.keys.partner.send(call, call.startsWith('GET') ? {} : { json: {} })
      expect([call, answer.status, answer.json]).toMatchObject([
        call,
        404,
        { code: 'not-found', message: expect.stringContaining(instead) },
      ])
    }
  })

  it('a path that ends with a slash names nothing', async () => {
    for (const call of ['GET /v1/express/', 'PATCH /v1/scribe/studies/'] as const) {
      const answer = await stage.keys.partner.send(call)
      expect([call, answer.status]).toEqual([call, 404])
    }
  })

  it('__proto__ in metadata is refused with what is wrong', async () => {
    const answer = await stage.keys.partner.send('POST /v1/express', {
      body: '{"expressCustomerName":"North","metadata":{"__proto__":"x"}}',
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, answer.json]).toMatchObject([
      400,
      { message: expect.stringContaining('__proto__') },
    ])
  })

  it('every clinic role is taken and answered', async () => {
    expect(CLINIC_ROLES).toHaveLength(62)
    for (const [index, clinicRole] of CLINIC_ROLES.entries()) {
      const answer = await send('POST', '/v1/viewer/users', {
        ...{ email: `role-${index}@clinic.example`, firstName: 'R', lastName: 'Role' },
        ...{ level: 'member', clinicRole, canManageStudies: false, hasDashboardAccess: true },
      })
      expect([answer.status, answer.json]).toMatchObject([201, { clinicRole }])
    }
  })
})
