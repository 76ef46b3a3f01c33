import { describe, expect, it } from 'vitest'
import { type CheckInput, reportFindings } from '#shared/report-checks.ts'

const SOUND = 'Findings:\nThe lungs are clear.\nImpression:\nNormal chest.'
const findings = (more: Partial<CheckInput>) =>
  reportFindings({
    text: SOUND,
    isCritical: false,
    identity: 'matched',
    metadata: {},
    studyDescription: 'CT CHEST',
    ...more,
  })
const checks = (more: Partial<CheckInput>) =>
  findings(more).map(({ check, level }) => `${check} ${level}`)

it('finds nothing against a sound report', () => {
  expect(checks({})).toEqual([])
})

describe('the identity of the images', () => {
  it.each([
    ['mismatch', ['identity error']],
    ['overridden', ['identity warning']],
    ['unverified', []],
    ['matched', []],
  ] as const)('%s', (identity, found) => expect(checks({ identity })).toEqual(found))
})

describe('an empty report', () => {
  it.each(['', ' \n\t', 'Findings:\nImpression:\n'])('is not signed: %j', (text) => {
    expect(checks({ text })).toEqual(['empty-text error'])
  })
})

describe('the impression', () => {
  it.each([
    ['Findings: clear.\nImpression:', ['empty-impression error']],
    ['Findings: clear.', ['empty-impression warning']],
    ['Findings: clear. Impression: normal chest.', []],
    ['Findings: clear.\nConclusion: normal.', []],
    ['All normal.', []],
  ])('of %j: %j', (text, expected) => {
    expect(checks({ text })).toEqual(expected)
  })
  it('is not asked of an addendum', () => {
    expect(checks({ text: 'Findings: as dictated.', isAddendum: true })).toEqual([])
  })
})

describe('fields that are not filled in', () => {
  it.each([
    ['A [ ] mm nodule.', 'unfilled-field error'],
    ['The {left|right} knee.', 'unfilled-field error'],
    ['A nodule of [size].', 'unfilled-field warning'],
  ])('stand against signing %j', (text, expected) => {
    expect(checks({ text })).toEqual([expected])
  })
  it('are counted, and the first of them are named', () => {
    expect(findings({ text: '[ ] and [ ]' })[0]?.sentence).toEqual(
      '2 fields are not filled in: [ ]',
    )
    expect(findings({ text: '{right|left} and [ ]' })[0]?.sentence).toEqual(
      '2 fields are not filled in: {right|left}, [ ]',
    )
    expect(findings({ text: '[a] [b] [c] [d]' })[0]?.sentence).toEqual(
      '4 fields are not filled in: [a], [b], [c], …',
    )
  })
})

describe('sides', () => {
  it.each<[string, string, Partial<CheckInput>]>([
    [
      'that of the description',
      'Fracture of the right patella.',
      { studyDescription: 'XR LEFT KNEE' },
    ],
    ['abbreviated', 'The left hip is dislocated.', { studyDescription: 'HIP RT 2 VIEWS' }],
    [
      'those of findings and impression',
      'Findings: Left lower lobe consolidation.\nImpression: Right lower lobe pneumonia.',
      {},
    ],
    [
      'those of a part in findings and impression',
      'Findings: Stone in the left kidney. Right lung clear.\nImpression: Stone of the right kidney. Left lung clear.',
      {},
    ],
    [
      'the part that was asked for',
      'The right knee is normal.',
      { indication: 'Left knee pain after a fall' },
    ],
    [
      'the part of the indication in the text',
      'Indication: pain in the left knee\nFindings: The right knee is normal.\nImpression: Normal.',
      {},
    ],
  ])('are held against each other: %s', (_, text, more) => {
    expect(checks({ text, ...more })).toEqual(['laterality warning'])
  })

  it.each<[string, Partial<CheckInput>]>([
    [
      'The left knee is normal. The right one was seen for comparison.',
      { studyDescription: 'XR LEFT KNEE' },
    ],
    ['The joint space is narrower than on the right.', { studyDescription: 'XR LEFT KNEE' }],
    ['No fracture.', { studyDescription: 'XR LEFT KNEE' }],
    ['The right atrium is enlarged.', { studyDescription: 'US LEFT LOWER QUADRANT' }],
    ['Right pleural effusion.', { studyDescription: 'XR CHEST LEFT LATERAL DECUBITUS' }],
    ['Tumour of the left lung.', { studyDescription: 'CT RT PLANNING CHEST' }],
    ['Both knees are normal.', { studyDescription: 'XR LEFT KNEE' }],
    // A stroke is on the other side than what it weakens.
    [
      'Infarct in the right hemisphere.',
      { studyDescription: 'MR BRAIN', indication: 'left arm weakness' },
    ],
    [
      'Findings: Left and right kidneys are normal. Cyst of the left kidney.\nImpression: Simple cyst of the left kidney.',
      {},
    ],
    [
      'Findings: Right breast: no mass. Left breast: 8 mm mass.\nImpression: Left breast mass.',
      { studyDescription: 'MG BILATERAL' },
    ],
  ])('that do not contradict raise no alarm: %s', (text, more) => {
    expect(checks({ text, ...more })).toEqual([])
  })
})

describe('the sex', () => {
  it.each([
    ['male', 'The uterus is enlarged.'],
    ['male', 'Ovarian cyst on the left.'],
    ['female', 'The prostate is enlarged.'],
    ['female', 'Normal testes.'],
  ] as const)('of a %s patient contradicts “%s”', (sex, text) => {
    expect(checks({ text, metadata: { sex } })).toEqual(['sex warning'])
  })

  it.each([
    ['male', 'The prostate is normal.'],
    ['female', 'Uterus and ovaries are normal.'],
    ['other', 'The prostate is normal. The uterus is normal.'],
    ['male', 'Cervical spine without fracture. Intact processus vaginalis.'],
    ['male', 'Family history of ovarian cancer.'],
    ['female', 'Uptake on prostate-specific membrane antigen PET.'],
    ['male', 'Indication: wife has ovarian cancer\nFindings: Normal.\nImpression: Normal.'],
  ] as const)('of a %s patient goes with “%s”', (sex, text) => {
    expect(checks({ text, metadata: { sex } })).toEqual([])
  })

  it('is not held against anything where it is unknown', () => {
    expect(checks({ text: 'Prostate and uterus.' })).toEqual([])
  })
})

describe('critical wording', () => {
  it.each([
    'Tension pneumothorax on the left.',
    'There is an acute type A aortic dissection.',
    'Dissection of the thoracic aorta.',
    'Acute pulmonary embolism in the right lower lobe without right heart strain.',
    'Multiple bilateral pulmonary emboli.',
    'Compared with the prior study of last week there is a new pulmonary embolus.',
    'Acute subdural hematoma.',
    'Acute subdural haematoma.',
    'Subarachnoid haemorrhage.',
    'Acute left MCA territory infarct.',
    'Pneumoperitoneum.',
    'No fracture. Free intraperitoneal air.',
    'No fracture, but there is active arterial extravasation.',
    'Ruptured abdominal aortic aneurysm.',
    'A 60 year old patient with aortic dissection.',
    'Testicular torsion.',
  ])('asks for the mark: %s', (text) => {
    expect(checks({ text })).toEqual(['critical-wording warning'])
    expect(checks({ text, isCritical: true, finding: 'As dictated' })).toEqual([])
  })

  it.each([
    'No pulmonary embolism.',
    'No evidence of acute pulmonary embolism or aortic dissection.',
    'There is no pneumothorax, pleural effusion or tension pneumothorax.',
    'Negative for intracranial haemorrhage.',
    'No acute intracranial\nhemorrhage.',
    'Pulmonary embolism is excluded.',
    'Pulmonary embolism: none.',
    'Intracranial haemorrhage was not identified.',
    'The pulmonary embolism has resolved.',
    'History of pulmonary embolism.',
    'Status post repair of aortic dissection.',
    'Unchanged chronic type B dissection.',
    'CT pulmonary embolism protocol.',
    'Pulmonary embolism?',
    'Evaluate for aortic dissection.',
    'A small pneumothorax at the apex.',
    'Indication: rule out pulmonary embolism\nTechnique: pulmonary embolism protocol\nFindings: Normal.\nImpression: Normal.',
    'Neither aortic dissection nor pulmonary embolism.',
    'Pulmonary embolism cannot be assessed.',
  ])('that denies raises no alarm: %s', (text) => {
    expect(checks({ text })).toEqual([])
  })
})

describe('a critical result', () => {
  it('says what was found', () => {
    for (const finding of [null, '', ' x '])
      expect(checks({ isCritical: true, finding })).toEqual(['critical-without-finding error'])
    expect(checks({ isCritical: true, finding: 'Tension pneumothorax' })).toEqual([])
  })
  it('is not asked for it before anybody could say it', () => {
    expect(checks({ isCritical: true })).toEqual([])
  })
})

describe('the patient', () => {
  const patientAtOpening = { patientName: 'Doe, Jané', mrn: 'M-1', dateOfBirth: '1980-01-02' }
  it('must be who they were when the report was begun', () => {
    expect(
      findings({
        patientAtOpening,
        metadata: { ...patientAtOpening, mrn: 'M-2', patientName: 'Roe, Jane' },
      }),
    ).toEqual([
      expect.objectContaining({
        check: 'patient-changed',
        level: 'warning',
        sentence: expect.objectContaining({
          params: {
            fields: [{ code: 'reports.patient-name' }, { code: 'reports.patient-record-number' }],
          },
        }),
      }),
    ])
  })
  it('may be spelled otherwise, or known better', () => {
    expect(
      checks({
        patientAtOpening,
        metadata: { ...patientAtOpening, patientName: 'JANE DOE', sex: 'female' },
      }),
    ).toEqual([])
    expect(checks({ patientAtOpening: {}, metadata: patientAtOpening })).toEqual([])
  })
})

it('puts errors before warnings', () => {
  expect(checks({ text: 'The prostate is [ ] mm.', metadata: { sex: 'female' } })).toEqual([
    'unfilled-field error',
    'sex warning',
  ])
})

it('reads a long text in no time to speak of', () => {
  const text = `${'left right '.repeat(9000)}\n${'no '.repeat(30_000)}acute ${'a '.repeat(9000)}`
  expect(() => findings({ text: text.slice(0, 200_000) })).not.toThrow()
})
