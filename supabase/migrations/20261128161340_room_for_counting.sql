-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

ALTER TABLE "app"."accounts" SET (fillfactor=80);

ALTER TABLE "app"."conversations" SET (fillfactor=80);

ALTER TABLE "app"."domain_events" SET (autovacuum_vacuum_scale_factor=0.05);

ALTER TABLE "app"."post_counters" SET (fillfactor=90);

ALTER TABLE "app"."wallets" SET (fillfactor=80);
