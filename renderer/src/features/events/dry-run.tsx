import { Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardEvents } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { useSend } from '../../api/queries.ts'
import { OUTCOMES } from '../../format/event-outcomes.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../../format/event-types.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, Page, Panel } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { BodyView } from './body-view.tsx'
import css from './events.module.css'
import { Notes } from './notes.tsx'
import { EventTabs } from './tabs.tsx'

const MAX_ANSWER_CHARACTERS = 1_000_000
/** Answers that name a study of their own. */
const STUDY_EVENT_TYPES: readonly EventType[] = [
  'study.access_requested',
  'ephemeral.access_requested',
]

/** What the gateway would make of an answer, before a partner sends it. */
export function DryRun() {
  const [type, setType] = useState<EventType>('modality_worklist.requested')
  const [study, setStudy] = useState('')
  const [body, setBody] = useState('')
  const check = useSend(dashboardEvents.dryRun)
  const hasStudy = STUDY_EVENT_TYPES.includes(type)
  const send = () =>
    check.mutate({
      body: {
        type,
        body,
        ...(hasStudy && study.trim() !== '' && { studyInstanceUid: study.trim() }),
      },
    })
  return (
    <Page title={t('ui.events.title')} about={t('ui.events.dry.about')}>
      <EventTabs />
      <div className={css.columns}>
        <Panel>
          <Stack>
            <Select
              label={t('ui.events.dry.type')}
              description={EVENT_NAMES[type].about}
              allowDeselect={false}
              data={EVENT_ORDER.map((value) => ({ value, label: EVENT_NAMES[value].name }))}
              value={type}
              onChange={(value) => {
                if (value) setType(value as EventType)
                check.reset()
              }}
            />
            {hasStudy && <StudyField value={study} onChange={setStudy} />}
            <Textarea
              label={t('ui.events.dry.body')}
              placeholder={t('ui.events.dry.bodyExample')}
              autosize
              minRows={14}
              maxRows={28}
              maxLength={MAX_ANSWER_CHARACTERS}
              spellCheck={false}
              classNames={{ input: 'mono' }}
              value={body}
              onChange={(event) => setBody(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button
                leftSection={<IconChecklist size={16} />}
                loading={check.isPending}
                disabled={body === ''}
                onClick={send}
              >
                {t('ui.events.dry.check')}
              </Button>
            </Group>
          </Stack>
        </Panel>
        <div className={css.stack} role="status">
          {!check.data && !check.error && (
            <Panel>
              <Text c="dimmed">{t('ui.events.dry.first')}</Text>
            </Panel>
          )}
          {check.error && <ErrorNotice error={check.error} />}
          {check.data && !check.isPending && <Result result={check.data} />}
        </div>
      </div>
    </Page>
  )
}

function StudyField({ value, onChange }: { value: string; onChange: (study: string) => void }) {
  return (
    <TextInput
      label={t('ui.events.dry.study')}
      description={t('ui.events.dry.studyAbout')}
      maxLength={64}
      classNames={{ input: 'mono' }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** The judgement, what was strange, and what would be used. */
function Result({
  result: { outcome, sentence, notes, used },
}: {
  result: ReplyOf<typeof dashboardEvents.dryRun>
}) {
  const { tone, name } = OUTCOMES[outcome]
  return (
    <>
      <Notice tone={outcome === 'accepted' && notes.length > 0 ? 'warning' : tone} title={name}>
        {translateMessage(sentence)}
      </Notice>
      {notes.length > 0 && (
        <Panel>
          <Notes title={t('ui.events.dry.notes')} notes={notes} />
        </Panel>
      )}
      <Panel title={t('ui.events.dry.used')}>
        {used === null ? (
          <Text c="dimmed">{t('ui.events.dry.nothing')}</Text>
        ) : (
          <BodyView text={used} what={t('ui.events.dry.used')} />
        )}
      </Panel>
    </>
  )
}
