import { Button, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { dashboardStudies, type SavedView } from '#shared/contract/dashboard-studies.ts'
import { faultsByField } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice } from '../page.tsx'
import { showDone } from '../undo.tsx'
import { daysText } from './filter-words.ts'
import { daysOf, queryOf } from './study-filter.ts'
import type { StudyListState } from './use-study-list.ts'

/** Keeps what is chosen under a name, or changes the name of a kept view and who sees it. */
export function SaveViewDialog({
  state,
  saved,
  onClose,
}: {
  state: StudyListState
  saved?: SavedView
  onClose: () => void
}) {
  const { list, area, filter, order, today } = state
  const [name, setName] = useState(saved?.name ?? '')
  const [isShared, setIsShared] = useState(saved?.isShared ?? false)
  const save = useSend(dashboardStudies.saveView, [dashboardStudies.savedViews])
  const change = useSend(dashboardStudies.changeView, [dashboardStudies.savedViews])
  const error = save.error ?? change.error
  const faults = error ? faultsByField(error) : {}
  const days = daysOf(filter.days, today)
  const done = (view: SavedView) => {
    onClose()
    showDone(t('ui.study-list.views.saved', { name: view.name }))
    state.open(view.savedViewId)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (saved)
      return change.mutate(
        { params: { savedViewId: saved.savedViewId }, body: { name, isShared } },
        { onSuccess: done },
      )
    save.mutate(
      { body: { list, area, name, isShared, order, filter: queryOf(filter, today) } },
      { onSuccess: done },
    )
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={saved ? t('ui.study-list.views.changeTitle') : t('ui.study-list.views.saveTitle')}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={t('ui.study-list.views.name')}
            placeholder={t('ui.study-list.views.nameExample')}
            maxLength={40}
            required
            data-autofocus
            value={name}
            error={faults.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Switch
            label={t('ui.study-list.views.isShared')}
            description={t('ui.study-list.views.isSharedAbout')}
            checked={isShared}
            onChange={(event) => setIsShared(event.currentTarget.checked)}
          />
          {!saved && (days.from !== undefined || days.to !== undefined) && (
            <Text size="sm">{t('ui.study-list.views.daysAbout', { days: daysText(days) })}</Text>
          )}
          {error && faults.name === undefined && <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('ui.study-list.views.cancel')}
            </Button>
            <Button
              type="submit"
              disabled={name.trim() === ''}
              loading={save.isPending || change.isPending}
            >
              {t('ui.study-list.views.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
