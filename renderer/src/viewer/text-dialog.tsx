import { Button, Group, Modal, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { t } from '../i18n/t.ts'
import { useViewerContext } from './viewer-context.ts'
import { NO_TRANSITION } from './viewer-store.ts'

const MAX_CHARACTERS = 200

interface TextRequest {
  readonly before: string
  readonly answer: (text: string | undefined) => void
}

/** Asks for the text of an arrow or a label, as the engine wants it. */
export function TextDialog() {
  const { engine } = useViewerContext()
  const [asked, setAsked] = useState<TextRequest>()
  useEffect(() => {
    engine.askText = (before) => new Promise((answer) => setAsked({ before, answer }))
    return () => {
      engine.askText = undefined
    }
  }, [engine])
  const answer = (text: string | undefined) => {
    asked?.answer(text)
    setAsked(undefined)
  }
  return (
    <Modal
      opened={asked !== undefined}
      onClose={() => answer(undefined)}
      title={t('ui.viewer.drawings.askTitle')}
      size="sm"
      transitionProps={NO_TRANSITION}
    >
      {asked && <TextForm before={asked.before} onAnswer={answer} />}
    </Modal>
  )
}

function TextForm({
  before,
  onAnswer,
}: {
  before: string
  onAnswer: (text: string | undefined) => void
}) {
  const [text, setText] = useState(before)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onAnswer(text.trim() || undefined)
      }}
    >
      <TextInput
        label={t('ui.viewer.drawings.askLabel')}
        value={text}
        maxLength={MAX_CHARACTERS}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => onAnswer(undefined)}>
          {t('ui.viewer.drawings.cancel')}
        </Button>
        <Button type="submit">{t('ui.viewer.drawings.askDone')}</Button>
      </Group>
    </form>
  )
}
