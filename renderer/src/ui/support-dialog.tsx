import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import { useReply } from '../api/queries.ts'
import { bytesText } from '../format/amounts.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from './page.tsx'
import css from './support-dialog.module.css'

const ZIP_PATH = '/dashboard/backups/diagnostics.zip'

/** What support is given, file by file, to be read before it is saved. */
export function SupportDialog({ onClose }: { onClose: () => void }) {
  const reply = useReply(dashboardBackups.diagnostics, {}, { staleTime: Number.POSITIVE_INFINITY })
  const files = reply.data?.files ?? []
  const [chosen, setChosen] = useState('')
  const shown = files.find(({ name }) => name === chosen) ?? files[0]
  return (
    <Modal opened onClose={onClose} title={t('ui.backups.support.title')} size="min(1080px, 94vw)">
      <Stack>
        <Text size="sm">{t('ui.backups.support.about')}</Text>
        {reply.isPending && <LoadingPlaceholder rows={8} />}
        {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
        {shown && (
          <div className={css.bundle}>
            <nav aria-label={t('ui.backups.support.files')}>
              <ul className={css.files}>
                {files.map(({ name, bytes }) => (
                  <li key={name}>
                    <button
                      type="button"
                      className={css.file}
                      onClick={() => setChosen(name)}
                      {...(name === shown.name && { 'aria-current': 'true' as const })}
                    >
                      <span>{name}</span>
                      <span className={css.size}>{bytesText(bytes)}</span>
                    </button>
                  </li>
                ))}
              </ul>
            </nav>
            <section
              className={css.text}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and whoever has only keys must be able to
              tabIndex={0}
              aria-label={shown.name}
              translate="no"
              lang="en"
            >
              <pre>{shown.text}</pre>
            </section>
          </div>
        )}
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {shown?.isCut ? t('ui.backups.support.cut') : t('ui.backups.support.noted')}
          </Text>
          <Group gap={8}>
            <Button variant="default" onClick={onClose}>
              {t('ui.backups.support.close')}
            </Button>
            <Button
              component="a"
              href={ZIP_PATH}
              download
              leftSection={<IconDownload size={16} />}
              disabled={!reply.data}
            >
              {t('ui.backups.support.save')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  )
}
