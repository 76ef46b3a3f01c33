import type { NamedValues } from '#server/dicom/data-set/named-data-set.ts'

// Codes and content items of structured reports (PS3.3 C.17.3, PS3.16).

export interface Code {
  readonly value: string
  readonly scheme: 'DCM' | 'LN' | 'SCT' | 'UCUM' | 'RFC5646' | '99ISTHMUS'
  readonly meaning: string
}

export const code = (value: string, scheme: Code['scheme'], meaning: string): Code => ({
  value,
  scheme,
  meaning,
})

export const codeItem = ({ value, scheme, meaning }: Code): NamedValues => ({
  CodeValue: value,
  CodingSchemeDesignator: scheme,
  CodeMeaning: meaning,
})

type Relationship =
  | 'CONTAINS'
  | 'HAS OBS CONTEXT'
  | 'HAS CONCEPT MOD'
  | 'INFERRED FROM'
  | 'SELECTED FROM'

/** An item of a value type with its concept name, if it has one. */
export const contentItem = (
  relationship: Relationship,
  valueType: string,
  concept: Code | undefined,
  values: NamedValues,
): NamedValues => ({
  RelationshipType: relationship,
  ValueType: valueType,
  ConceptNameCodeSequence: concept && [codeItem(concept)],
  ...values,
})

export const containerItem = (
  concept: Code,
  content: readonly NamedValues[],
  template?: string,
): NamedValues =>
  contentItem('CONTAINS', 'CONTAINER', concept, {
    ContinuityOfContent: 'SEPARATE',
    ContentTemplateSequence:
      template === undefined
        ? undefined
        : [{ MappingResource: 'DCMR', TemplateIdentifier: template }],
    ContentSequence: content.length === 0 ? undefined : content,
  })

export const codedItem = (
  relationship: Relationship,
  concept: Code,
  value: Code,
  content?: readonly NamedValues[],
): NamedValues =>
  contentItem(relationship, 'CODE', concept, {
    ConceptCodeSequence: [codeItem(value)],
    ContentSequence: content,
  })

/** PS3.5 §6.1.3: lines end with CR LF. */
export const textContent = (relationship: Relationship, concept: Code, text: string): NamedValues =>
  contentItem(relationship, 'TEXT', concept, { TextValue: text.replace(/\r?\n/g, '\r\n') })

/**
 * Who made the observations (PS3.16 TID 1001 to 1004): the person, or this device if no person is
 * known.
 * @param name PN; empty if unknown
 */
export const observerItems = (name: string, deviceUid: string): NamedValues[] =>
  name === ''
    ? [
        codedItem('HAS OBS CONTEXT', OBSERVER_TYPE, DEVICE),
        contentItem('HAS OBS CONTEXT', 'UIDREF', DEVICE_UID, { UID: deviceUid }),
        textContent('HAS OBS CONTEXT', DEVICE_MANUFACTURER, 'Isthmus'),
      ]
    : [
        codedItem('HAS OBS CONTEXT', OBSERVER_TYPE, PERSON),
        contentItem('HAS OBS CONTEXT', 'PNAME', PERSON_NAME, { PersonName: name }),
      ]

const OBSERVER_TYPE = code('121005', 'DCM', 'Observer Type')
const PERSON = code('121006', 'DCM', 'Person')
const DEVICE = code('121007', 'DCM', 'Device')
const PERSON_NAME = code('121008', 'DCM', 'Person Observer Name')
const DEVICE_UID = code('121012', 'DCM', 'Device Observer UID')
const DEVICE_MANUFACTURER = code('121014', 'DCM', 'Device Observer Manufacturer')
