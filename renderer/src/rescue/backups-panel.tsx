import { Button, Group, Radio, Text, TextInput } from '@mantine/core'
import { IconFolderSearch } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  type BackupEntry,
  dashboardRescue,
  type RescueState,
} from '#shared/contract/dashboard-backups.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { ProblemError } from '../api/client.ts'
import { bytesText } from '../format/amounts.ts'
import { agoText, clockText } from '../format/dates.ts'
import { t } from '../i18n/t.ts'
import { Findings } from '../ui/findings.tsx'
import { ErrorNotice, Panel } from '../ui/page.tsx'
import { Tag } from '../ui/tone.tsx'
import { call } from './calls.ts'
import { SelectedBackup } from './chosen.tsx'
import css from './rescue.module.css'

/**
 * The backups of the plan's folder or of another one, and what becomes of the one that is chosen.
 */
export function BackupsPanel({ state, onBegun }: { state: RescueState; onBegun: () => void }) {
  const [folder, setFolder] = useState(state.backupFolder ?? '')
  const [name, setName] = useState<string | null>(null)
  const look = useMutation<ReplyOf<typeof dashboardRescue.look>, ProblemError, string>({
    mutationFn: (typed) => call(dashboardRescue.look, { body: { folder: typed } }),
    onSuccess: () => setName(null),
  })
  const inspectedFolder = look.data === undefined ? undefined : look.variables
  const backups = look.data?.backups ?? state.backups
  const shownFolder = inspectedFolder ?? state.backupFolder
  const chosen = backups.find((one) => one.name === name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    look.mutate(folder)
  }
  return (
    <>
      <Panel
        isFlush
        title={t('ui.rescue.backups.title')}
        aside={shownFolder && backups.length > 0 && <span className="mono">{shownFolder}</span>}
      >
        {backups.length > 0 && (
          <Radio.Group
            value={name}
            onChange={setName}
            label={t('ui.rescue.backups.list')}
            labelProps={{ className: css.hidden ?? '' }}
          >
            <div className={css.list}>
              {backups.map((one) => (
                <Row key={one.name} backup={one} />
              ))}
            </div>
          </Radio.Group>
        )}
        {backups.length === 0 && !look.data && (
          <p className={css.empty}>
            {state.backupFolder === null
              ? t('ui.rescue.backups.folderUnknown')
              : t('ui.rescue.backups.emptyFolder', { folder: state.backupFolder })}
          </p>
        )}
        <form onSubmit={submit} className={css.folder}>
          <Group align="flex-end" wrap="wrap">
            <TextInput
              label={t('ui.rescue.backups.folder.label')}
              description={t('ui.rescue.backups.folder.description')}
              placeholder={t('ui.rescue.backups.example')}
              maxLength={1000}
              spellCheck={false}
              style={{ flex: '1 1 320px' }}
              value={folder}
              onChange={(event) => setFolder(event.currentTarget.value)}
            />
            <Button
              type="submit"
              variant="default"
              leftSection={<IconFolderSearch size={16} />}
              loading={look.isPending}
              disabled={folder.trim() === ''}
            >
              {t('ui.rescue.backups.look')}
            </Button>
          </Group>
          <div role="status">
            {look.error && <ErrorNotice error={look.error} />}
            {look.data && <Findings findings={look.data.findings} />}
          </div>
        </form>
      </Panel>
      {chosen && (
        <SelectedBackup
          key={`${inspectedFolder} ${chosen.name}`}
          backup={chosen}
          folder={inspectedFolder}
          onBegun={onBegun}
        />
      )}
    </>
  )
}

function Row({ backup }: { backup: BackupEntry }) {
  const { name, kind, madeAt, bytes, hasRecoveryKey } = backup
  const now = new Date()
  return (
    <Radio.Card value={name} className={css.row ?? ''}>
      <Radio.Indicator />
      <span className={css.when}>
        {/* Of this PC: the clinic's zone is in the database. */}
        <time dateTime={madeAt}>{clockText(madeAt, undefined, now)}</time>
        <Text component="span" size="sm" c="dimmed">
          {agoText(madeAt, now)}
        </Text>
      </span>
      <Tag tone="plain">{t(`ui.rescue.backups.kinds.${kind}`)}</Tag>
      <span className={`tabular ${css.size}`}>{bytesText(bytes)}</span>
      <Text component="span" size="sm" c="dimmed" className={css.withKey ?? ''}>
        {hasRecoveryKey ? t('ui.rescue.backups.withKey') : t('ui.rescue.backups.withoutKey')}
      </Text>
    </Radio.Card>
  )
}
