import { Button, Group, Modal, SegmentedControl, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { scribe } from '#shared/contract/scribe.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { viewer } from '#shared/contract/viewer.ts'
import type { StudyId } from '#shared/ids.ts'
import { VIEWER_STATUSES } from '#shared/lifecycle.ts'
import { faultsByField } from '../client.ts'
import { FormPart } from '../components/form-part.tsx'
import { Failed } from '../components/page.tsx'
import { MetadataFields } from '../customers/metadata-fields.tsx'
import { pairFaults } from '../customers/metadata-pairs.ts'
import { useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { CustomerPicker, PersonPicker } from '../lists/pickers.tsx'
import { LIST_CHANGES } from '../lists/use-study-list.ts'
import { words as listWords } from '../lists/words.ts'
import { ContextFields, PatientFields, PriorFields, ScanFields } from './scribe-fields.tsx'
import { changedBody, isMeasure, MEASURES, newBody, type StudyValues, uidOf, valuesOf } from './study-values.ts'
import type { Details } from './use-details.ts'
import { words } from './words.ts'

const { form: texts } = words
const CHANGES = [...LIST_CHANGES, scribe.read, viewer.read]
type Body = never

/**
 * Makes a study, or changes one, with the fields that partners have.
 * @param details null for a new one
 */
export function StudyForm(props: { area: StudyArea; details: Details | null; onDone: (studyId: StudyId) => void; onClose: () => void }) {
  const { details, onDone, onClose } = props
  const [area, setArea] = useState(props.area)
  const [before] = useState(() => valuesOf(details))
  const [values, setValues] = useState(before)
  const [isTried, setIsTried] = useState(false)
  const set = (change: Partial<StudyValues>) => setValues((now) => ({ ...now, ...change }))

  const createScribe = useSend(scribe.create, CHANGES)
  const createViewer = useSend(viewer.create, CHANGES)
  const updateScribe = useSend(scribe.update, CHANGES)
  const updateViewer = useSend(viewer.update, CHANGES)
  const calls = [createScribe, createViewer, updateScribe, updateViewer]
  const error = calls.find((one) => one.error !== null)?.error ?? null
  const isBusy = calls.some((one) => one.isPending)

  const body = details ? changedBody(area, values, before) : newBody(area, values)
  const operation = details ? (area === 'scribe' ? scribe.update : viewer.update) : area === 'scribe' ? scribe.create : viewer.create
  const parsed = operation.body.safeParse(body)
  const measureFaults = Object.keys(MEASURES).filter((name) => !isMeasure(values.measures[name as keyof typeof MEASURES].value))
  const faults: Readonly<Record<string, string>> = {
    ...(isTried &&
      !parsed.success &&
      Object.fromEntries(parsed.error.issues.map((issue) => [issue.path.join('.'), said(issue.message)] as const).reverse())),
    ...(isTried && Object.fromEntries(measureFaults.map((name) => [`reportMetadata.${name}`, texts.measureFault]))),
    ...(error && faultsByField(error)),
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsTried(true)
    for (const one of calls) one.reset()
    if (!parsed.success || measureFaults.length > 0 || pairFaults(values.metadata).size > 0) return
    const options = { onSuccess: ({ studyId }: { readonly studyId: StudyId }) => onDone(studyId) }
    if (details === null) {
      if (area === 'scribe') createScribe.mutate({ body: body as Body }, options)
      else createViewer.mutate({ body: body as Body }, options)
      return
    }
    const { studyId } = details.study
    if (Object.keys(body).length === 0) return onDone(studyId)
    if (area === 'scribe') updateScribe.mutate({ params: { studyId }, body: body as Body }, options)
    else updateViewer.mutate({ params: { studyId }, body: body as Body }, options)
  }

  const isFixedCustomer = details !== null && area === 'viewer'
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={details ? texts.editTitle : texts.newTitle[area]}
      closeOnClickOutside={false}
      // What was typed is not lost by a key.
      closeOnEscape={JSON.stringify(values) === JSON.stringify(before)}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          {details === null && (
            <SegmentedControl
              aria-label={texts.area}
              value={area}
              onChange={(next) => setArea(next === 'viewer' ? 'viewer' : 'scribe')}
              data={(['scribe', 'viewer'] as const).map((value) => ({ value, label: words.areas[value] }))}
            />
          )}
          <FormPart title={texts.study}>
            {details === null && (
              <TextInput
                label={texts.uid}
                description={texts.uidAbout}
                required
                data-autofocus
                autoComplete="off"
                value={values.studyInstanceUid}
                error={faults.studyInstanceUid}
                onChange={(event) => set({ studyInstanceUid: event.currentTarget.value })}
                rightSectionWidth={104}
                rightSection={
                  <Button size="compact-xs" variant="subtle" onClick={() => set({ studyInstanceUid: uidOf(crypto.randomUUID()) })}>
                    {texts.newUid}
                  </Button>
                }
              />
            )}
            <TextInput
              label={texts.description}
              required
              maxLength={1000}
              {...(details !== null && { 'data-autofocus': true })}
              value={values.studyDescription}
              error={faults.studyDescription}
              onChange={(event) => set({ studyDescription: event.currentTarget.value })}
            />
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <Select
                label={texts.severity}
                allowDeselect={false}
                value={values.severity}
                data={[...SEVERITIES].reverse().map((value) => ({ value, label: listWords.severities[value][0] }))}
                onChange={(value) => set({ severity: SEVERITIES.find((one) => one === value) ?? 'normal' })}
              />
              {area === 'viewer' && details !== null && (
                <Select
                  label={texts.status}
                  allowDeselect={false}
                  value={values.studyViewerStatus}
                  data={VIEWER_STATUSES.map((value) => ({ value, label: listWords.statuses[value][0] }))}
                  onChange={(value) => set({ studyViewerStatus: value === 'complete' ? 'complete' : 'incomplete' })}
                />
              )}
            </SimpleGrid>
          </FormPart>
          <FormPart title={texts.people}>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <PersonPicker
                area={area}
                label={texts.assigned}
                placeholder={texts.assignedAbout}
                value={values.assignedTo}
                error={faults.assignedTo}
                onChange={(assignedTo) => set({ assignedTo })}
              />
              {isFixedCustomer ? (
                <TextInput
                  label={texts.customer}
                  description={texts.customerFixed}
                  readOnly
                  value={values.expressCustomer?.name ?? listWords.filter.noCustomer}
                />
              ) : (
                <CustomerPicker
                  label={texts.customer}
                  value={values.expressCustomer}
                  error={faults.expressCustomerId}
                  onChange={(expressCustomer) => set({ expressCustomer })}
                />
              )}
            </SimpleGrid>
          </FormPart>
          {area === 'scribe' && (
            <>
              <PatientFields values={values} set={set} faults={faults} />
              <ScanFields values={values} set={set} faults={faults} />
              <ContextFields values={values} set={set} faults={faults} />
              <PriorFields values={values} set={set} faults={faults} />
            </>
          )}
          <MetadataFields value={values.metadata} onChange={(metadata) => set({ metadata })} errors={faults} />
          {error && error.errors.length === 0 && <Failed error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {details ? texts.save : texts.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
