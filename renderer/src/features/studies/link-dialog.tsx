import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { scribe } from '#shared/contract/scribe.ts'
import type { UserId } from '#shared/ids.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { usePermission } from '../../ui/allowed.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { OneTimeValueDialog } from '../../ui/shown-once.tsx'
import { PersonPicker } from '../../ui/study-list/pickers.tsx'
import { LIST_CHANGES } from '../../ui/study-list/use-study-list.ts'

const KINDS = ['dictate', 'view'] as const
type Kind = (typeof KINDS)[number]

/** Makes a link to a study for reporting, for a person, and shows it once. */
export function LinkDialog({ study, onClose }: { study: WindowStudy; onClose: () => void }) {
  const { studyId } = study
  const { may: mayDictate, why } = usePermission('manageStudies')
  const [kind, setKind] = useState<Kind>(mayDictate ? 'dictate' : 'view')
  const [person, setPerson] = useState<{ readonly id: UserId; readonly name: string } | null>(null)
  const [url, setUrl] = useState<string | null>(null)
  const [isTried, setIsTried] = useState(false)
  const createReportLink = useSend(scribe.rerouteUrl, LIST_CHANGES)
  const createImagesLink = useSend(scribe.viewerOnlyRerouteUrl, LIST_CHANGES)
  const error = createReportLink.error ?? createImagesLink.error
  const needsPerson = kind === 'dictate'
  const options = { onSuccess: (made: { readonly url: string }) => setUrl(made.url) }
  const make = () => {
    setIsTried(true)
    if (kind === 'view')
      return createImagesLink.mutate(
        { body: { studyId, ...(person && { userId: person.id }) } },
        options,
      )
    if (person) createReportLink.mutate({ body: { studyId, assignedToUserId: person.id } }, options)
  }
  if (url !== null)
    return <NewLinkDialog url={url} about={t('ui.studies.link.onceAbout')} onClose={onClose} />
  return (
    <Modal opened onClose={onClose} title={t('ui.studies.link.title')}>
      <Stack>
        <Text size="sm">{t('ui.studies.link.aboutScribe')}</Text>
        <Radio.Group
          label={t('ui.studies.link.kind')}
          value={kind}
          onChange={(next) => {
            setKind(next === 'view' ? 'view' : 'dictate')
            // Not everybody who may look may report.
            setPerson(null)
          }}
        >
          <Stack gap={8} mt={6}>
            {KINDS.map((one) => (
              <Radio
                key={one}
                value={one}
                label={t(`ui.studies.link.kinds.${one}.label`)}
                description={
                  one === 'dictate' && !mayDictate
                    ? why
                    : t(`ui.studies.link.kinds.${one}.description`)
                }
                disabled={one === 'dictate' && !mayDictate}
              />
            ))}
          </Stack>
        </Radio.Group>
        <PersonPicker
          key={kind}
          area={kind === 'dictate' ? 'scribe' : 'viewer'}
          mustSign={kind === 'dictate'}
          label={t('ui.studies.link.person')}
          description={t(`ui.studies.link.personAbout.${kind}`)}
          required={needsPerson}
          value={person}
          onChange={setPerson}
          error={
            isTried && needsPerson && person === null ? t('ui.studies.link.choose') : undefined
          }
        />
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('ui.studies.link.cancel')}
          </Button>
          <Button loading={createReportLink.isPending || createImagesLink.isPending} onClick={make}>
            {t('ui.studies.link.make')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** A link that was made, which is shown once. */
export const NewLinkDialog = (props: { url: string; about: string; onClose: () => void }) => (
  <OneTimeValueDialog
    value={props.url}
    title={t('ui.studies.link.onceTitle')}
    about={props.about}
    what={t('ui.studies.link.what')}
    done={t('ui.studies.link.done')}
    onClose={props.onClose}
  />
)
