-- stop: These are the figures that were taken back: correct what was wrong; if they were right after all, bring them back
-- with ratinglist rollback.
-- when: before-publish
select month, 'r' || revision as revision, strftime(rolled_back_on, '%Y-%m-%d') as withdrawn_on, reason
from withdrawn_month
where month = $month and month not in (select month from calculation where is_standing)
