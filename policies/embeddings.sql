-- Nobody may see or change embeddings. This file belongs to sql/embeddings/.

-- post_embeddings, centroids, embedding_walk: only for definer functions
alter table private.post_embeddings enable row level security;
alter table private.centroids enable row level security;
alter table private.embedding_walk enable row level security;

-- functions that the worker calls
grant execute on function
  private.job_embed_missing,
  private.job_refresh_centroids,
  private.refresh_next_centroids,
  private.store_embeddings,
  private.take_unembedded,
  private.use_embedding_model
  to worker;
