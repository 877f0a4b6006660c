-- note: the list of {month} is published as r{revision}, and later lists start from that. Only this publishes other
-- figures: ratinglist rerate --from {month}
-- when: rate
select month, revision from current_revision where month = $month
