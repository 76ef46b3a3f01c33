import type { Translated } from '../i18n/words.ts'
import type { English } from './event-words.en.ts'

export const es: Translated<English> = {
  outcomes: {
    none: { name: 'Sin enviar', sentence: 'Todavía no se ha enviado.', remedy: '' },
    accepted: {
      name: 'Aceptado',
      sentence: 'El sistema asociado dio una respuesta que se pudo usar.',
      remedy: '',
    },
    'no-endpoint': {
      name: 'Sin punto de conexión',
      sentence: 'Ningún punto de conexión recibe este evento.',
      remedy:
        'En la pantalla Sistema asociado, añada un punto de conexión para él o active el que haya.',
    },
    unreachable: {
      name: 'Sin contacto',
      sentence: 'No se pudo contactar con el sistema asociado.',
      remedy:
        'Compruebe la red, el servidor de nombres y el cortafuegos de este PC, y el certificado del sistema asociado; avise después a su soporte.',
    },
    timeout: {
      name: 'Demasiado lento',
      sentence: 'El sistema asociado no respondió a tiempo.',
      remedy:
        'Si sigue lento, indique a su soporte cuándo ocurrió; el tiempo de que dispone se puede cambiar para su punto de conexión en la pantalla Sistema asociado.',
    },
    status: {
      name: 'Error',
      sentence: 'El sistema asociado respondió con un error.',
      remedy:
        'Indique a su soporte el id. del evento, la hora y el estado que figura abajo. Con 401 o 403, compare el secreto de firma.',
    },
    oversize: {
      name: 'Demasiado grande',
      sentence: 'La respuesta del sistema asociado era mayor de lo que se admite.',
      remedy: 'Pida a su soporte que envíe menos, o direcciones en lugar de contenidos.',
    },
    invalid: {
      name: 'No se puede leer',
      sentence: 'La respuesta del sistema asociado no tiene la forma acordada.',
      remedy: 'Muestre a su soporte la respuesta que figura abajo; el ensayo indica qué tiene mal.',
    },
    refused: {
      name: 'Rechazado',
      sentence: 'El sistema asociado entendió el evento y lo rechazó.',
      remedy: 'Su motivo figura abajo. Pida a su soporte que lo permita.',
    },
    'circuit-open': {
      name: 'No se preguntó',
      sentence:
        'El sistema asociado había fallado varias veces seguidas, así que por un momento no se le preguntó.',
      remedy:
        'La pasarela lo intenta de nuevo por sí sola en menos de un minuto. Los fallos anteriores indican el motivo.',
    },
    'forbidden-address': {
      name: 'Dirección no permitida',
      sentence: 'No está permitido llamar a la dirección.',
      remedy:
        'Corrija la dirección del punto de conexión en la pantalla Sistema asociado, o permita allí http sin cifrar o una dirección privada si es lo que se desea.',
    },
  },
  standings: {
    waiting: { name: 'En espera', meaning: 'Está a punto de enviarse.' },
    again: (outcome) => `${outcome}, se intenta de nuevo`,
    inPart: {
      name: 'Aceptado en parte',
      meaning: 'La respuesta se usó, pero se dejaron fuera partes de ella.',
    },
    dropped: {
      name: 'Descartado',
      meaning:
        'Una persona decidió que no se envíe más. El registro de auditoría indica quién y por qué.',
    },
  },
  events: {
    'modality_worklist.requested': {
      name: 'Lista de trabajo',
      about: 'Pregunta qué exámenes están programados, cuando un equipo pide su lista.',
    },
    'patient_study.enrichment_requested': {
      name: 'Paciente y examen',
      about:
        'Pregunta quién es el paciente y cuál es el examen, cuando las imágenes de un estudio ya están aquí.',
    },
    'clinical_context.enrichment_requested': {
      name: 'Contexto clínico',
      about:
        'Pide la indicación, los informes anteriores y los documentos, cuando un radiólogo abre un estudio.',
    },
    'report.delivered': {
      name: 'Informe',
      about:
        'Entrega un informe firmado. Se envía hasta que el sistema asociado confirma que lo tiene.',
    },
    'study.access_requested': {
      name: 'Imágenes de un estudio',
      about: 'Pregunta dónde se guardan las imágenes de un estudio, cuando alguien lo abre.',
    },
    'ephemeral.access_requested': {
      name: 'Imágenes temporales',
      about:
        'Pregunta dónde se guardan imágenes que solo se miran y no pertenecen a ningún estudio de aquí.',
    },
    'secondary_capture.access_requested': {
      name: 'Lugar para capturas',
      about: 'Pregunta dónde se pueden dejar las imágenes hechas en el visor.',
    },
  },
  kinds: {
    synchronous: {
      name: 'Esperado',
      meaning:
        'Alguien espera la respuesta. Un fallo se comunica al momento y no se intenta de nuevo por sí solo.',
    },
    soft: {
      name: 'De ayuda',
      meaning: 'El trabajo sigue sin respuesta. Lo que falte se puede volver a pedir.',
    },
    asynchronous: {
      name: 'Entregado',
      meaning:
        'Se conserva y se reenvía hasta que el sistema asociado lo tiene, durante días si hace falta.',
    },
  },
}
